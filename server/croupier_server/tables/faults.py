"""What is told of a fault of ours: where it was, and nothing that could name a card."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_FRAMES: Final = 4


def describe(fault: BaseException) -> str:
    """Kind and place of *fault*, or of what led to it; its message is left out."""
    frames = traceback.extract_tb((fault.__cause__ or fault).__traceback__)[-_FRAMES:]
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    return f"{type(fault).__name__} in {' > '.join(places)}"
