"""Bots that need rules code: `search`. They reach tables through the contract like anybody's bot.

`search` is one player for all games. The folder of a game has its guide, which plays quickly, picks
moves worth a trial, and says what a position is worth.
"""
