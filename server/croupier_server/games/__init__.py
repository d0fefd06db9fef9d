"""The games. One folder a game, which holds all that the server has of it.

In a folder the rules (`rules.py` and what it imports) are pure: no clock, no chance of their own,
no logging, no network. Beside them, in `module.py` and what that imports: messages (``wire``),
notation, teller, and what `search` needs. The modules here are what all games share.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = ("tractor", "tongits", "pokex")
"""Every game: the name of its folder, of its arm in every oneof, and on the command line."""
