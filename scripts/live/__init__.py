"""Harnesses for a real server: its process, and clients that note everything they are told.

`scripts.crash` kills the server with them, `scripts.fuzz` sends it garbage.
"""
