"""Who callers are and what they may do: keys, scopes, rates.

Must not be put here: tickets (``tables/tickets.py``), metadata and certificates (``rpc``).
"""
