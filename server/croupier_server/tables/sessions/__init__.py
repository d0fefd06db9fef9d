"""Streams that carry many seats, and the one way in for answers."""
