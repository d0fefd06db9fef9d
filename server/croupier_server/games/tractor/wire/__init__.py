"""Tractor on the wire: its values as bytes of the contract, and back."""
