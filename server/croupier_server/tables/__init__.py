"""Authoritative tables: sans-IO tables, their event loop, and the feeds that carry them out."""
