"""Options drawn at random, so that an oracle is compared under every one and in company."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from croupier_server.games.base import OptionSpec


def random_texts(
    specs: Sequence[OptionSpec], samples: Mapping[str, Sequence[str]], random: Random
) -> dict[str, str]:
    """Values for some of the options; *samples* has those of options without a list of values."""
    texts = {}
    for spec in specs:
        if random.random() < 0.4:
            texts[spec.name] = random.choice(spec.values or samples[spec.name])
    return texts
