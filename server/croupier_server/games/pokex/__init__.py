"""Pokex: a bidding game of poker hands with a shared centre card. The rules page is the authority
for every word here; start with ``rules``.
"""
