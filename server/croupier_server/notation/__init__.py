"""Matches as text: a page a deal, every card and move, to be read by people and read back.

``docs/notation.md`` is the grammar. What is written is an input of the match or a comment, so a
text that is read back gives the same inputs, and by the rules the same events.
"""

from __future__ import annotations

from croupier_server.notation.match import MatchText, NotationError, of_record
from croupier_server.notation.reading import read
from croupier_server.notation.writing import write

__all__ = ["MatchText", "NotationError", "of_record", "read", "write"]
