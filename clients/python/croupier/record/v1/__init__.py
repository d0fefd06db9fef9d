"""Generated from the package croupier.record.v1."""
