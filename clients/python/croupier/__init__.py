"""Python client of Croupier: generated stubs (`croupier.v1`) and the SDK round them."""

from __future__ import annotations

__all__: list[str] = []
