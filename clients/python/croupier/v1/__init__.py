"""Generated from the package croupier.v1."""
