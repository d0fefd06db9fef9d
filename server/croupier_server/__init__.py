"""Croupier's server: pure rules, authoritative tables, and a gRPC service in front of them."""
