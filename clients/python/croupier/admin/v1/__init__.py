"""Generated from the package croupier.admin.v1."""
