"""Checks a record from its bytes alone: hashes, secrets, cards, moves, results.

`verify` is what `croupier verify` and ``RecordService.VerifyRecord`` call. ``docs/fairness.md`` has
every byte of what is checked, and ``clients/javascript`` does it a second time without this code.
"""

from __future__ import annotations

from croupier_server.verify.checks import verify
from croupier_server.verify.report import Check, Report

__all__ = ["Check", "Report", "verify"]
