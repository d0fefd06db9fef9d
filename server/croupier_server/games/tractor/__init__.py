"""Tractor: two fixed teams, two to six packs, trumps that change from deal to deal (rules T-1 to
T-11). Start reading at ``rules.py``; cards and tricks begin at ``cards.py``.
"""
