"""Encoders generated from ``protos/``."""
