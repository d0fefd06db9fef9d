"""The one way in for answers to decisions, whatever transport carried them."""

from __future__ import annotations

from google.protobuf.message import Message

from croupier_server.errors import CroupierError, IllegalMove, InvalidRequest, MalformedMove
from croupier_server.games.base import Seat
from croupier_server.identity.quota import Quota
from croupier_server.tables.match.codec import MoveMessage
from croupier_server.tables.match.table import Table
from croupier_server.wire.unknown import unknown_field, unknown_path


def answer(
    table: Table,
    seat: Seat,
    decision_id: str,
    move: MoveMessage,
    quota: Quota,
    now: int,
    strange: Message | None = None,
) -> int:
    """Answer a decision; returns the number of the move's event, 0 for a sealed answer.

    An answer that the seat was asked for costs a token only if it is refused; anything else costs
    one. One that cannot be read counts among the refusals of its decision.

    Args:
        table, seat: who answers.
        decision_id: what it answers.
        move: the answer.
        quota: pays for it.
        now: the time.
        strange: the message that *move* is in, if it may have fields that the contract does not.

    Raises:
        Exhausted: RATE_LIMITED, it was not asked for, and there is no token.
        InvalidRequest: UNKNOWN_FIELD.
        CroupierError: see `Table.submit`.
    """
    is_asked = not quota.is_limited or table.match.waits_for(seat, decision_id)
    if not is_asked:
        quota.spend()
    began = quota.stopwatch()
    try:
        try:
            if strange is not None and (path := unknown_path(strange)):
                raise unknown_field(path)
            code = table.wire.move_code(move)
        except (IllegalMove, InvalidRequest, MalformedMove):
            table.refuse_unreadable(seat, decision_id, now)
            raise
        return table.submit(seat, decision_id, code, now)
    except CroupierError:
        if is_asked:
            quota.charge()
        quota.charge_work(quota.stopwatch() - began)
        raise
