"""Who callers are and what they may do: keys, scopes, rates."""
