"""Duel: two seats, five cards each, the higher rank takes a trick."""
