"""Statistics of card contests. Pure: every result follows from the values alone.

The unit is the board: its value is the mean over its matches, so luck of the deal that the seatings
share cancels out, and matches of one board never count as independent (ADR 10).
"""
