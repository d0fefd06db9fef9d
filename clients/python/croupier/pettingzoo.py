"""Environments of PettingZoo, one for each game: see `env` and `Environment`.

They need PettingZoo, and the rules of the games, which are in the server's package.
"""

from __future__ import annotations

try:
    from croupier_server.local.environment import Environment, env
except ModuleNotFoundError as error:
    raise ImportError(
        "environments need PettingZoo and the server's package: pip install 'croupier[pettingzoo]'"
    ) from error

__all__ = ["Environment", "env"]
