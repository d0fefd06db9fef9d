"""Private: nobody is shown what is another's, before the rules or the reveal show it.

What a client was told is compared with the truth, which is in the record.
"""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Final, NamedTuple

from google.protobuf.message import Message

from croupier.v1 import game_pb2, play_service_pb2, table_pb2
from croupier_server.games.cards import CARD_NAMES, unpack
from tests.sim.promises.base import Promise
from tests.sim.promises.cards import cards_in, leaves
from tests.sim.promises.observed import Ended, Logged, Refused, Shown, Told
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Outages, Place, Story

_A_CARD: Final = re.compile(rb"(?<![A-Za-z0-9])(?:[2-9TJQKA][SHDC]|BJ|RJ)(?![A-Za-z0-9])")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{16,}")
_WORDS: Final = re.compile(rb"[A-Za-z0-9_-]{20,}")
_HASHES: Final = re.compile(rb"(?=\x20(.{32}))", re.DOTALL)
_IDS: Final = {name.encode(): number for number, name in enumerate(CARD_NAMES) if name}
_JOKERS: Final = frozenset({_IDS[b"BJ"], _IDS[b"RJ"]})
_HAND_MIN: Final = 5
"""Shorter hands may be anything else as well."""
_EVERY: Final = 16
"""One of so many views is looked at card by card."""


class _Said(NamedTuple):
    """Something that was told to *seat* as of an event."""

    sequence: int
    seat: int | None
    what: str
    data: bytes
    text: bytes = b""
    own: frozenset[int] = frozenset()
    sent_ms: int | None = None
    is_update: bool = False

    def holds(self, cards: bytes) -> bool:
        """Whether *cards*, which are in its bytes, are in one field of it: the number of another
        field may look like the last one of them."""
        if self.is_update:
            message: Message = table_pb2.TableUpdate.FromString(self.data)
        elif self.what == "GetSeatView":
            message = play_service_pb2.GetSeatViewResponse.FromString(self.data)
        else:
            return True
        return any(cards in leaf for leaf in leaves(message))


class Private(Promise):
    """Messages hold what their audience may know and nothing else: no hand of another seat, no
    secret, no seed, and no hash of any of them."""

    def __init__(self, outages: Outages) -> None:
        super().__init__(outages)
        self._said: dict[str, list[_Said]] = {}
        self._count = 0

    def _keep(self, story: Story, said: _Said) -> None:
        self._said.setdefault(story.table_id, []).append(said)

    def told(self, story: Story, place: Place, seen: Told) -> None:
        """See `Promise.told`."""
        update = seen.update
        seat = seen.stream.seat
        kind = update.WhichOneof("update") or "update"
        sequence, text, own = place.position, b"", frozenset[int]()
        match kind:
            case "event":
                sequence = update.event.sequence
                if seat is None and update.event.HasField("private_part"):
                    self.fail(story, f"a spectator is told the private part of event {sequence}")
            case "decision":
                sequence = update.decision.sequence
                if update.decision.seat != seat:
                    self.fail(
                        story, f"seat {seat} is told what seat {update.decision.seat} is asked"
                    )
            case "snapshot":
                sequence = update.snapshot.sequence
                if seat is None and update.snapshot.HasField("seat_view"):
                    self.fail(story, "a spectator is shown the view of a seat")
            case "end":
                text = update.end.detail.encode()
            case "result":
                return  # it is over
        said = _Said(sequence, seat, kind, seen.data, text, own, seen.sent_ms, is_update=True)
        self._keep(story, said)

    def shown(self, story: Story, seen: Shown) -> None:
        """See `Promise.shown`."""
        if seen.call == "GetRecord" or story.is_recorded:
            return
        sequence = 1 << 62
        if seen.call == "GetSeatView":
            view = play_service_pb2.GetSeatViewResponse.FromString(seen.data)
            sequence = view.snapshot.sequence
        self._keep(story, _Said(sequence, seen.seat, seen.call, seen.data))

    def refused(self, story: Story, seen: Refused, reason: str, retry_ms: int) -> None:
        """See `Promise.refused`."""
        if story.is_recorded:
            return
        own = frozenset(cards_in(game_pb2.Move.FromString(seen.move))) if seen.move else frozenset()
        said = _Said(seen.after, seen.seat, f"{seen.call} refused", b"", seen.status, own)
        self._keep(story, said)

    def logged(self, seen: Logged) -> None:
        """See `Promise.logged`."""
        found = _A_CARD.search(seen.line.encode())
        if found is not None:
            self.fail(None, f"a line of the log names the card {found[0].decode()}")

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        said = self._said.get(story.table_id, [])
        self._no_secrets(story, said, told)
        known = _Known(told)
        for one in said:
            self._not_early(story, one, told)
            if (one.data and one.seat is not None) or one.what == "snapshot":
                self._no_hands(story, one, told)
            if one.text:
                self._no_words(story, one, told, known)
            self._count += 1
            if self._count % _EVERY == 0 and one.what in ("decision", "snapshot"):
                self._no_cards(story, one, told, known)

    def _no_secrets(self, story: Story, said: list[_Said], told: Retold) -> None:
        blob = b"\n".join(part for one in said for part in (one.data, one.text))
        for what, secret in _secrets(told):
            if secret in blob:
                self.fail(story, f"{what} was sent before the end")
        hashes = {hashlib.sha256(part).digest(): what for what, part in _hashed(told)}
        shown = {match[1] for match in _HASHES.finditer(blob)}
        for found in shown & hashes.keys():
            self.fail(story, f"a hash of {hashes[found]} was sent before the end")
        starts = {digest.hex()[:16].encode(): digest for digest in hashes}
        for match in _HEX.finditer(blob):
            if (digest := starts.get(match[0][:16].lower())) is not None:
                self.fail(story, f"a hash of {hashes[digest]} was sent before the end")
        words = {urlsafe_b64encode(digest)[:20]: digest for digest in hashes}
        for match in _WORDS.finditer(blob):
            if (digest := words.get(match[0][:20])) is not None:
                self.fail(story, f"a hash of {hashes[digest]} was sent before the end")

    def _not_early(self, story: Story, one: _Said, told: Retold) -> None:
        """Whoever has no seat is shown nothing before the table's delay is over."""
        delay = told.record.table.spec.spectator_delay
        if one.seat is not None or one.sent_ms is None or one.what != "event":
            return
        if not told.deals or one.sequence < told.deals[0]:
            return  # who comes and sits down is no secret
        at, end = told.times[one.sequence], told.times[len(told.times)]
        if one.sent_ms < at + delay.time.ToMilliseconds():
            self.fail(
                story, f"event {one.sequence} was shown {one.sent_ms - at} ms after it happened"
            )
        behind = sum(
            number > one.sequence and told.times[number] <= one.sent_ms for number in told.answered
        )
        if behind < delay.decisions and one.sent_ms < end:
            self.fail(story, f"event {one.sequence} was shown {behind} decisions after it happened")

    def _no_hands(self, story: Story, one: _Said, told: Retold) -> None:
        """The list of another's cards is nowhere in it."""
        hands = told.hands(one.sequence)
        own = hands[one.seat] if one.seat is not None else 0
        for seat, hand in enumerate(hands):
            if seat == one.seat or hand == own:
                continue
            cards = unpack(hand)
            if len(cards) < _HAND_MIN or cards not in one.data:
                continue
            # What was tried and failed, say, everybody is told by the rules.
            is_told = any(cards in row.public for row in told.rows if row.sequence <= one.sequence)
            if not is_told and one.holds(cards):
                self.fail(
                    story,
                    f"a {one.what} as of event {one.sequence} shows "
                    f"{_who(one.seat)} the hand of seat {seat}",
                )

    def _no_words(self, story: Story, one: _Said, told: Retold, known: _Known) -> None:
        """A refusal names no card but those that its reader knows."""
        named = {_IDS[match[0]] for match in _A_CARD.finditer(one.text)}
        if told.record.table.spec.game == game_pb2.GAME_KIND_TONGITS:
            named -= _JOKERS  # it has none: whoever hears of one has named it
        if not named or (told.packs > 1 and not named - one.own):
            return
        sequence = min(one.sequence, len(told.times))
        foreign = named - one.own - known.cards(one.seat, sequence)
        if foreign:
            name = CARD_NAMES[min(foreign)]
            self.fail(story, f"a {one.what} names {_who(one.seat)} the card {name}")

    def _no_cards(self, story: Story, one: _Said, told: Retold, known: _Known) -> None:
        """A view shows no card of the first deal that no event has told."""
        if told.deal_at(one.sequence) != 1:
            return
        update = table_pb2.TableUpdate.FromString(one.data)
        foreign = set(cards_in(update)) - known.cards(one.seat, one.sequence)
        if foreign:
            name = CARD_NAMES[min(foreign)]
            self.fail(
                story,
                f"a {one.what} as of event {one.sequence} shows {_who(one.seat)} the card {name}, "
                "which no event has told",
            )

    def forget(self, story: Story) -> None:
        """See `Promise.forget`."""
        self._said.pop(story.table_id, None)


class _Known:
    """Cards that each audience has been told of since the deal began, or holds."""

    def __init__(self, told: Retold) -> None:
        self._told = told
        self._events: list[tuple[frozenset[int], dict[int, frozenset[int]]]] = []
        for row in told.rows:
            if row.sequence:
                public = frozenset(cards_in(table_pb2.TableEvent.FromString(row.public)))
                private = {
                    seat: frozenset(cards_in(table_pb2.TableEvent.FromString(part)))
                    for seat, part in row.private.items()
                }
                self._events.append((public, private))

    def cards(self, seat: int | None, sequence: int) -> frozenset[int]:
        """What *seat* may have seen up to an event; None: what everybody may."""
        found: set[int] = set()
        if seat is not None:
            found.update(unpack(self._told.hands(sequence)[seat]))
        for public, private in self._events[:sequence]:
            found |= public
            if seat is not None:
                found |= private.get(seat, frozenset())
        return frozenset(found)


def _who(seat: int | None) -> str:
    return "spectators" if seat is None else f"seat {seat}"


def _secrets(told: Retold) -> Iterator[tuple[str, bytes]]:
    """What must not be sent before the end, in the forms that it could take."""
    reveal = told.record.reveal
    named = [("its secret", reveal.secret), ("its root", reveal.root)]
    named += [(f"the nonce of seat {seat}", nonce) for seat, nonce in enumerate(reveal.nonces)]
    for number, one in enumerate(reveal.abandoned, 1):
        named += [(f"abandoned secret {number}", one.secret)]
        named += [(f"a nonce opened in vain before restart {number}", own) for own in one.nonces]
    for what, secret in named:
        if secret:
            yield what, secret
            yield what, secret.hex().encode()
            yield what, urlsafe_b64encode(secret).rstrip(b"=")
    if reveal.HasField("seed") and reveal.seed > 1 << 40:
        yield "its seed", str(reveal.seed).encode()
        yield "its seed", f"{reveal.seed:x}".encode()
        yield "its seed", table_pb2.FixedDeal(seed=reveal.seed).SerializeToString()[1:]


def _hashed(told: Retold) -> Iterator[tuple[str, bytes]]:
    """What could be found by guessing, if its hash were known."""
    for row in told.rows:
        for seat, part in row.private.items():
            what = f"what seat {seat} learns from event {row.sequence}"
            yield what, part
            event = table_pb2.TableEvent.FromString(part)
            yield what, event.private_part.SerializeToString(deterministic=True)
            yield what, row.public + part
    for sequence, hands in told.all_hands():
        for seat, hand in enumerate(hands):
            if hand:
                yield f"the hand of seat {seat} behind event {sequence}", unpack(hand)
    for row, message in zip(told.rows, told.record.rows, strict=True):
        if row.private:
            yield f"the row of event {row.sequence}", message.SerializeToString(deterministic=True)
