"""What calls are refused with for every kind of credential: the matrix of ``docs/security.md``.

It follows from ``identity/rights.py`` alone. ``gen_docs.py`` prints it, and
``tests/rpc/test_rights_matrix.py`` tries every pair against a real server.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from croupier.admin.v1.admin_service_pb2 import DESCRIPTOR as ADMIN
from croupier_server.errors import Reason
from croupier_server.identity.rights import ARBITER_RIGHTS, RIGHTS, Proof, Right, right_of

OPERATORS = [
    f"{service.full_name}/{call.name}"
    for service in ADMIN.services_by_name.values()
    for call in service.methods
]
"""The calls of operators, which have a port of their own."""


class Shown(Enum):
    """What a caller shows."""

    NOTHING = "no key"
    MADE_UP = "made-up key"
    NO_SCOPE = "key without the scope"
    EXPIRED = "expired key"
    REVOKED = "revoked key"
    NO_PROOF = "no ticket"
    OTHERS_PROOF = "another ticket"
    OTHER_PRINCIPAL = "right ticket, another principal's key"
    ALL = "everything required"


_BAD_KEYS = (Shown.MADE_UP, Shown.EXPIRED, Shown.REVOKED)
_BAD_PROOFS = (Shown.NO_PROOF, Shown.OTHERS_PROOF, Shown.OTHER_PRINCIPAL)


def applies(right: Right, shown: Shown) -> bool:
    """Whether there is such a thing to show: a call that takes no ticket cannot get a wrong one."""
    return shown not in _BAD_PROOFS or right.proof is not Proof.NONE


def refusal(right: Right, shown: Shown) -> Reason | None:
    """What a call is refused with where keys are asked for; None: it is not."""
    if shown in _BAD_KEYS or (shown is Shown.NOTHING and right.scope is not None):
        return Reason.UNAUTHENTICATED
    if shown is Shown.NO_SCOPE and right.scope is not None:
        return Reason.PERMISSION_DENIED
    if shown in _BAD_PROOFS:
        return {
            Proof.NONE: None,
            Proof.TICKET: Reason.TICKET_INVALID,
            Proof.HOST_TICKET: Reason.PERMISSION_DENIED,
        }[right.proof]
    return None


def matrix() -> Iterator[str]:
    """The matrix as lines of Markdown: the calls by what they take, and what each caller gets."""
    calls: dict[Right, list[str]] = {}
    for path in (*RIGHTS, *ARBITER_RIGHTS, *OPERATORS):
        calls.setdefault(right_of(path), []).append(f"`{path.rpartition('.')[2]}`")
    yield "| takes | calls |"
    yield "|---|---|"
    for right, names in calls.items():
        yield f"| {_takes(right)} | {', '.join(names)} |"
    yield ""
    yield "| takes | " + " | ".join(shown.value for shown in Shown) + " |"
    yield "|---" * (len(Shown) + 1) + "|"
    for right in calls:
        cells = [_cell(right, shown) for shown in Shown]
        yield f"| {_takes(right)} | {' | '.join(cells)} |"


def _takes(right: Right) -> str:
    needs = [f"`{right.scope}`"] if right.scope is not None else []
    if right.proof is not Proof.NONE:
        needs.append(right.proof.value)
    return ", ".join(needs) or "nothing"


def _cell(right: Right, shown: Shown) -> str:
    if not applies(right, shown):
        return "-"
    reason = refusal(right, shown)
    return "yes" if reason is None else f"`{reason}`"
