"""Tong-its: three players, one pack, melds, draw calls and chips (rules G-1 to G-8). Start reading
at ``rules.py``; melds and deadwood begin at ``melds.py``.
"""
