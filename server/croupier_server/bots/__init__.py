"""Bots that need rules code: `search`. They reach tables through the contract like anybody's bot.

`search` is one player for all games. Of each game it has two small modules: ``read_<game>`` turns
messages into values of the rules and back; ``guide_<game>`` plays quickly, picks moves worth a
trial, and says what a position is worth. `guides` lists them.
"""
