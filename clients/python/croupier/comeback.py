"""Playing a seat to its end, also one that a house bot takes while its player is away."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Protocol

from croupier.connection import Connection
from croupier.errors import Refused
from croupier.seat import Seat, Ticket
from croupier.v1 import game_pb2, table_service_pb2

__all__ = ["Carrier", "Comebacks"]


class Carrier(Protocol):
    """A transport, which carries seats until they are done."""

    def add(self, seat: Seat) -> None:
        """Carry *seat* from now on."""

    def remove(self, seat: Seat) -> None:
        """Carry *seat* no longer."""


class Comebacks:
    """Takes seats back, and knows by which ticket each is held since."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int], tuple[int, str]] = {}

    def secret(self, ticket: Ticket) -> str:
        """What the seat of *ticket* is held by now."""
        epoch, secret = self._held.get((ticket.table_id, ticket.seat), (0, ""))
        return secret if epoch > ticket.epoch else ticket.secret

    async def play(
        self, seat: Seat, carrier: Carrier, connection: Connection
    ) -> game_pb2.MatchResult | None:
        """The result of *seat*; see `Seat.done`.

        Raises:
            Error: the seat was lost, or the bot failed.
        """
        while True:
            carrier.add(seat)
            try:
                return await seat.done
            except Refused as error:
                if not seat.is_superseded:
                    raise
                lost = error
            finally:
                carrier.remove(seat)
                seat.leave()
            try:
                ticket = await self._take_back(seat.ticket, connection)
            except Refused as error:
                if seat.is_over(error) or error.reason == "NOT_FOUND":  # ended, and let go since
                    return None
                raise (lost if error.reason == lost.reason else error) from None
            seat.come_back(ticket)

    async def _take_back(self, ticket: Ticket, connection: Connection) -> Ticket:
        """A new ticket for the seat of one that a house bot has replaced.

        Raises:
            Refused: TICKET_SUPERSEDED, if it was somebody else; the match has ended.
        """
        request = table_service_pb2.JoinTableRequest(
            request_id=secrets.token_hex(16),
            table_id=ticket.table_id,
            seat=ticket.seat,
            player=ticket.player,
        )
        got = await connection.call(connection.tables.JoinTable, request, ticket=ticket.secret)
        self._held[ticket.table_id, ticket.seat] = got.seat_epoch, got.ticket
        return replace(ticket, table=got.table, epoch=got.seat_epoch, secret=got.ticket)
