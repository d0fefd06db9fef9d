"""Requests are judged by `rules.py`, which the comments of the contract repeat; every fault has its
path."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from croupier.record.v1 import record_service_pb2 as rec
from croupier.v1 import catalog_service_pb2 as cat
from croupier.v1 import play_service_pb2 as play
from croupier.v1 import system_service_pb2
from croupier.v1 import table_service_pb2 as ts
from croupier_server.errors import IllegalMove, InvalidRequest, MalformedMove, Reason
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.rpc.rules import REQUIRED, RULES, SAFE, Bounds, bounds_of
from croupier_server.rpc.validate import ELSEWHERE, Requests
from tests.meta.test_contract import FILES
from tests.rpc.calls import build

MOVE = 'table_id: "t" decision_id: "1-0" '


def refused(requests: Requests, message: Message) -> InvalidRequest:
    read: Callable[[bytes], Message] = requests.reader(type(message))
    with pytest.raises(InvalidRequest) as caught:
        read(message.SerializeToString())
    assert caught.value.reason is Reason.MALFORMED_REQUEST
    return caught.value


GOOD: list[Message] = [
    cat.ListGamesRequest(),
    build(cat.GetRulesetRequest, "game: 1"),
    build(ts.CreateTableRequest, "spec { game: 1 }"),
    build(ts.CreateTableRequest, "spec { game: 1 } " + "seats {} " * 12),
    ts.JoinTableRequest(table_id="t", seat=11, nonce_hash=b"x" * 32),
    ts.GetTableRequest(table_id="t" * 64),
    play.OpenNonceRequest(table_id="t", nonce=b"x" * 32),
    build(play.SubmitMoveRequest, MOVE + "move { tractor { play { cards: [1, 1, 14] } } }"),
    build(play.SubmitMoveRequest, MOVE + "move { tractor { decline {} } }"),
    rec.ListRecordsRequest(page_size=1000),
]

BAD: list[tuple[type[Message], str, list[str]]] = [
    (cat.ListGamesRequest, "page_size: 1001", ["page_size"]),
    (cat.ListGamesRequest, f"page_token: '{'x' * 513}'", ["page_token"]),
    (cat.GetRulesetRequest, "", ["game"]),
    (cat.GetRulesetRequest, "game: 99", ["game"]),
    (cat.ExplainRuleRequest, f"game: 1 clause: '{'x' * 17}'", ["clause"]),
    (ts.GetTableRequest, "", ["table_id"]),
    (ts.GetTableRequest, f"table_id: '{'t' * 65}'", ["table_id"]),
    (ts.CreateTableRequest, "", ["spec"]),
    (ts.CreateTableRequest, "spec { game: 1 } " + "seats {} " * 13, ["seats"]),
    (ts.CreateTableRequest, "spec { game: 1 } seats {} seats { access: 9 }", ["seats[1].access"]),
    (
        ts.CreateTableRequest,
        "spec { game: 1 options { tractor { players: 3 } } }",
        ["spec.options.tractor.players"],
    ),
    (
        ts.CreateTableRequest,
        "spec { game: 1 options { tractor { mandatory_levels { ranks: 0 } } } }",
        ["spec.options.tractor.mandatory_levels.ranks[0]"],
    ),
    (ts.CreateTableRequest, "spec { game: 1 clock { base { seconds: -1 } } }", ["spec.clock.base"]),
    (
        ts.CreateTableRequest,
        "spec { game: 1 clock { max_strikes: 1001 } }",
        ["spec.clock.max_strikes"],
    ),
    (
        ts.CreateTableRequest,
        f"spec {{ game: 1 deal_source {{ board {{ root: '{'x' * 33}' }} }} }}",
        ["spec.deal_source.board.root"],
    ),
    (
        ts.CreateTableRequest,
        f"spec {{ title: '{'x' * 129}' legal_mode: 8 }}",
        ["spec.game", "spec.legal_mode", "spec.title"],
    ),
    (ts.JoinTableRequest, "table_id: 't' seat: 12", ["seat"]),
    (play.OpenNonceRequest, f"table_id: 't' nonce: '{'x' * 31}'", ["nonce"]),
    (play.SubmitMoveRequest, "decision_id: 'd' move { tractor { decline {} } }", ["table_id"]),
    (
        play.SubmitMoveRequest,
        f"table_id: 't' decision_id: '{'x' * 65}' move {{ tractor {{ decline {{}} }} }}",
        ["decision_id"],
    ),
    (play.SubmitMoveRequest, "", ["decision_id", "table_id"]),
    (play.CheckMoveRequest, "table_id: 't'", ["decision_id"]),
]


@pytest.mark.parametrize("message", GOOD, ids=lambda message: message.DESCRIPTOR.name)
def test_a_good_request_comes_through_unchanged(requests: Requests, message: Message) -> None:
    read: Callable[[bytes], Message] = requests.reader(type(message))
    assert read(message.SerializeToString()) == message


@pytest.mark.parametrize(("request_type", "text", "fields"), BAD)
def test_each_fault_has_its_path(
    requests: Requests, request_type: type[Message], text: str, fields: list[str]
) -> None:
    error = refused(requests, build(request_type, text))
    assert sorted(path for path, _ in error.violations) == fields
    assert error.field in fields


def test_what_is_missing_is_named(requests: Requests) -> None:
    error = refused(requests, cat.GetRulesetRequest())
    assert error.message == "game: not set"


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", b"\x07" * 40])
def test_bytes_that_are_no_message_are_malformed(requests: Requests, data: bytes) -> None:
    with pytest.raises(InvalidRequest) as caught:
        requests.reader(ts.GetTableRequest)(data)
    assert caught.value.reason is Reason.MALFORMED_REQUEST


def test_a_request_that_is_too_long_is_not_parsed(requests: Requests) -> None:
    with pytest.raises(InvalidRequest, match="65537 bytes; at most 65536"):
        requests.reader(ts.GetTableRequest)(b"\xff" * 65_537)


def test_of_a_long_request_one_fault_is_enough() -> None:
    request = build(ts.CreateTableRequest, "spec { game: 1 } " + "seats { access: 9 } " * 15_000)
    assert refused(Requests(1 << 20), request).violations == (
        ("seats", "has 15000 items; at most 12 allowed"),
    )


MOVES = [
    ("", "move.game"),
    ("move {}", "move.game"),
    ("move { tractor {} }", "move.tractor.move"),
    ("move { tractor { decline {} } }", ""),
    ("move { tractor { play {} } }", "move.tractor.play.cards"),
    ("move { tractor { play { cards: [1, 1, 14] } } }", ""),
    ("move { tractor { play { cards: [1, 0, 2] } } }", "move.tractor.play.cards[1]"),
    ("move { tractor { play { cards: 55 } } }", "move.tractor.play.cards[0]"),
    ("move { tractor { play { cards: -1 } } }", "move.tractor.play.cards[0]"),
    (
        f"move {{ tractor {{ play {{ cards: [{', '.join(['7'] * 201)}] }} }} }}",
        "move.tractor.play.cards",
    ),
    ("move { tractor { bury {} } }", "move.tractor.bury.cards"),
    ("move { tractor { bury { cards: [53, 54, 0] } } }", "move.tractor.bury.cards[2]"),
    ("move { tractor { bury { cards: [1, 2, 3] } } }", ""),
    ("move { tractor { declare {} } }", "move.tractor.declare.cards"),
    ("move { tractor { declare { cards: [1, 1] } } }", ""),
    ("move { tractor { declare { cards: [1, 1, 1, 1, 1, 1, 1] } } }", "move.tractor.declare.cards"),
    ("move { tractor { declare { cards: 99 } } }", "move.tractor.declare.cards[0]"),
    ("move { tractor { show {} } }", "move.tractor.show.card"),
    ("move { tractor { show { card: 5 } } }", ""),
    ("move { tractor { show { card: 99 } } }", "move.tractor.show.card"),
    ("move { tractor { call {} } }", "move.tractor.call.points"),
    ("move { tractor { call { points: 80 } } }", ""),
    ("move { tractor { call { points: 601 } } }", "move.tractor.call.points"),
    ("move { tractor { name_trumps {} } }", "move.tractor.name_trumps.suit"),
    ("move { tractor { name_trumps { suit: 5 } } }", ""),
    ("move { tractor { name_trumps { suit: 0 } } }", "move.tractor.name_trumps.suit"),
    ("move { tractor { name_trumps { suit: 9 } } }", "move.tractor.name_trumps.suit"),
    ("move { tongits {} }", "move.tongits.move"),
    ("move { tongits { draw_stock {} } }", ""),
    ("move { tongits { take_discard { cards: [1, 2] } } }", ""),
    ("move { tongits { take_discard { meld: 51 } } }", ""),
    ("move { tongits { take_discard { meld: 52 } } }", "move.tongits.take_discard.meld"),
    (
        "move { tongits { take_discard { cards: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] } } }",
        "move.tongits.take_discard.cards",
    ),
    ("move { tongits { take_discard { cards: [1, 55] } } }", "move.tongits.take_discard.cards[1]"),
    ("move { tongits { meld { cards: [1, 2] } } }", "move.tongits.meld.cards"),
    ("move { tongits { meld { cards: [1, 2, 3] } } }", ""),
    ("move { tongits { meld { cards: [1, 2, 0] } } }", "move.tongits.meld.cards[2]"),
    ("move { tongits { secret_four {} } }", "move.tongits.secret_four.rank"),
    ("move { tongits { secret_four { rank: RANK_ACE } } }", ""),
    ("move { tongits { secret_four { rank: 1 } } }", "move.tongits.secret_four.rank"),
    ("move { tongits { lay_off { meld: 1 } } }", "move.tongits.lay_off.cards"),
    ("move { tongits { lay_off { cards: 1 } } }", ""),
    ("move { tongits { lay_off { meld: 52 cards: 1 } } }", "move.tongits.lay_off.meld"),
    ("move { tongits { lay_off { meld: 5 cards: 99 } } }", "move.tongits.lay_off.cards[0]"),
    ("move { tongits { discard {} } }", "move.tongits.discard.card"),
    ("move { tongits { discard { card: CARD_TWO_OF_SPADES } } }", ""),
    ("move { tongits { discard { card: 60 } } }", "move.tongits.discard.card"),
    ("move { pokex {} }", "move.pokex.move"),
    ("move { pokex { decline {} } }", ""),
    ("move { pokex { bid {} } }", "move.pokex.bid.tricks"),
    ("move { pokex { bid { tricks: 6 } } }", ""),
    ("move { pokex { bid { tricks: 7 } } }", "move.pokex.bid.tricks"),
    ("move { pokex { name_rank {} } }", "move.pokex.name_rank.rank"),
    ("move { pokex { name_rank { rank: RANK_TWO } } }", ""),
    ("move { pokex { name_rank { rank: 15 } } }", "move.pokex.name_rank.rank"),
    ("move { pokex { play { cards: 1 } } }", "move.pokex.play.cards"),
    ("move { pokex { play { cards: [1, 2] } } }", ""),
    ("move { pokex { play { cards: [1, 2, 3] } } }", "move.pokex.play.cards"),
    ("move { pokex { play { cards: [0, 1] } } }", "move.pokex.play.cards[0]"),
    ("move { pokex { play { cards: [1, 2] center: CARD_RED_JOKER } } }", ""),
    ("move { pokex { play { cards: [1, 2] center: 0 } } }", "move.pokex.play.center"),
    ("move { pokex { play { cards: [1, 2] center: 55 } } }", "move.pokex.play.center"),
]


"""Moves, and the field at fault of each that breaks a bound."""


@pytest.mark.parametrize(("text", "field"), MOVES)
def test_a_move_is_left_to_the_wire(requests: Requests, text: str, field: str) -> None:
    request = build(play.SubmitMoveRequest, MOVE + text)
    assert requests.reader(play.SubmitMoveRequest)(request.SerializeToString()) == request
    wire = WIRES_BY_NAME[request.move.WhichOneof("game") or "tractor"]
    if not field:
        wire.move_code(request.move)
        return
    with pytest.raises((IllegalMove, MalformedMove)) as caught:
        wire.move_code(request.move)
    assert caught.value.field == field


# Rules and comments -------------------------------------------------------------------------------


def every_request() -> Iterator[Descriptor]:
    """Messages that a client sends, those inside included, but for what is judged elsewhere."""
    seen: dict[str, Descriptor] = {}

    def visit(message: Descriptor) -> None:
        if message.full_name not in seen and message.full_name not in ELSEWHERE:
            seen[message.full_name] = message
            for field in message.fields:
                if field.message_type is not None:
                    visit(field.message_type)

    for name, file in FILES.items():
        module = importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
        for service in file.service:
            for call in service.method:
                kind = call.input_type.rpartition(".")[2]
                if not call.client_streaming:
                    visit(getattr(module, kind).DESCRIPTOR)
    return iter(seen.values())


def parts(message: Descriptor) -> list[FieldDescriptor | OneofDescriptor]:
    return [*message.fields, *message.oneofs]


def written(number: int) -> str:
    sign = "-" if number < 0 else ""
    return f"{sign}(2^53 - 1)" if abs(number) == SAFE else f"{number:,}"


REQUESTS = list(every_request())
FIELDS = [
    (message, field, bounds)
    for message in REQUESTS
    for field in parts(message)
    if (bounds := bounds_of(message.full_name, field.name)) is not None
]


def sentence(field: FieldDescriptor | OneofDescriptor, bounds: Bounds) -> str:
    """How the comment of a field states its bounds."""
    least, most, or_empty = bounds
    if isinstance(field, OneofDescriptor):
        return "Required."
    units = {FieldDescriptor.TYPE_STRING: " characters", FieldDescriptor.TYPE_BYTES: " bytes"}
    unit = units.get(field.type, "")
    if field.is_repeated:
        unit = " items"
    elif field.message_type is not None and field.message_type.name == "Duration":
        unit = " seconds"
    elif field.message_type is not None or field.enum_type is not None:
        return "Required."
    if least == most:
        return f"Exactly {most}{unit}{', or empty' if or_empty else ''}."
    if least:
        return f"{written(least)} to {written(most)}{unit}."
    return f"At most {written(most)}{unit}."


@pytest.fixture(scope="module")
def comments(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The comment of every field and oneof of the contract, by its full name."""
    out = tmp_path_factory.mktemp("buf") / "image.binpb"
    buf = Path(sys.executable).parent / "buf"
    subprocess.run([buf, "build", "--as-file-descriptor-set", "-o", out], cwd=root, check=True)
    found = {}
    for file in FileDescriptorSet.FromString(out.read_bytes()).file:
        for place in file.source_code_info.location:
            path = list(place.path)
            if len(path) == 4 and path[0] == 4 and path[2] in (2, 8):
                message = file.message_type[path[1]]
                parts = message.field if path[2] == 2 else message.oneof_decl
                name = f"{file.package}.{message.name}.{parts[path[3]].name}"
                found[name] = " ".join(place.leading_comments.split())
    return found


@pytest.mark.parametrize(
    ("message", "field", "bounds"),
    FIELDS,
    ids=[f"{one.full_name}.{two.name}" for one, two, _ in FIELDS],
)
def test_the_comment_of_a_field_states_its_bounds(
    comments: dict[str, str],
    message: Descriptor,
    field: FieldDescriptor | OneofDescriptor,
    bounds: Bounds,
) -> None:
    assert comments[f"{message.full_name}.{field.name}"].endswith(sentence(field, bounds))


PLAIN = re.compile(
    r"not set"
    r"|must be -?\d+ to \d+( seconds)?, not \S+"
    r"|has \d+ (characters|bytes|items); (exactly \d+ needed|(at most|\d+ to) \d+ allowed)"
)
"""What may be said of a field that breaks its bounds."""


def breaches(
    message: Descriptor, field: FieldDescriptor | OneofDescriptor, bounds: Bounds
) -> Iterator[Message]:
    """Messages in which *field* breaks its bounds: left out if it must be there, too short where it
    may be empty, and too much."""
    kind = GetMessageClass(message)
    if bounds.or_empty:
        yield kind(**{field.name: b"x" * (bounds.least - 1)})
    elif bounds == REQUIRED or (bounds.least > 0 and not getattr(field, "has_presence", False)):
        yield kind()
    if isinstance(field, OneofDescriptor):
        return
    over, value = bounds.most + 1, kind()
    if field.is_repeated and field.message_type is not None:
        for _ in range(over):
            getattr(value, field.name).add()
    elif field.is_repeated:
        getattr(value, field.name).extend([1] * over)
    elif field.message_type is not None and bounds != REQUIRED:
        getattr(value, field.name).seconds = over
    elif field.enum_type is not None or field.message_type is not None:
        return
    elif field.type == FieldDescriptor.TYPE_STRING:
        setattr(value, field.name, "x" * over)
    elif field.type == FieldDescriptor.TYPE_BYTES:
        setattr(value, field.name, b"x" * over)
    else:
        setattr(value, field.name, over)
    yield value


@pytest.mark.parametrize(
    ("message", "field", "bounds"),
    FIELDS,
    ids=[f"{one.full_name}.{two.name}" for one, two, _ in FIELDS],
)
def test_every_rule_says_plainly_what_is_wrong(
    message: Descriptor, field: FieldDescriptor | OneofDescriptor, bounds: Bounds
) -> None:
    broken = list(breaches(message, field, bounds))
    assert broken
    for value in broken:
        said = dict(refused(Requests(1 << 24), value).violations)[field.name]
        assert PLAIN.fullmatch(said), said


def test_every_rule_is_about_a_field_of_a_request() -> None:
    used = {f"{message.full_name}.{field.name}" for message, field, _ in FIELDS}
    named = {f"*.{name.rpartition('.')[2]}" for name in used}
    assert set(RULES) <= used | named


def test_every_list_text_and_byte_string_of_a_request_is_bounded() -> None:
    for message in REQUESTS:
        for field in message.fields:
            is_text = field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
            if is_text or field.is_repeated:
                name = f"{message.full_name}.{field.name}"
                assert bounds_of(message.full_name, field.name) or name in UNBOUNDED, name


UNBOUNDED = {
    "croupier.record.v1.VerifyRecordRequest.record",  # as long as a request may be
}


NEW = b"\x98\x06\x01"


@pytest.mark.parametrize(
    ("holder", "path"),
    [
        (lambda request: request, "99"),
        (lambda request: request.spec, "spec.99"),
        (lambda request: request.spec.options.tractor, "spec.options.tractor.99"),
        (lambda request: request.seats[1], "seats[1].99"),
    ],
)
def test_a_field_that_the_contract_does_not_have_is_refused(
    requests: Requests, holder: Callable[[ts.CreateTableRequest], Message], path: str
) -> None:
    request = build(ts.CreateTableRequest, "spec { game: 1 } seats {} seats {}")
    holder(request).MergeFromString(NEW)
    read = requests.reader(ts.CreateTableRequest)
    with pytest.raises(InvalidRequest) as caught:
        read(request.SerializeToString())
    assert (caught.value.reason, caught.value.field) == (Reason.UNKNOWN_FIELD, path)


def test_a_move_of_a_newer_contract_is_refused_by_its_path(requests: Requests) -> None:
    request = build(play.SubmitMoveRequest, MOVE + "move { tractor {} }")
    request.move.tractor.MergeFromString(b"\xea\x04\x00")
    with pytest.raises(InvalidRequest) as caught:
        requests.reader(play.SubmitMoveRequest)(request.SerializeToString())
    assert caught.value.reason is Reason.UNKNOWN_FIELD
    assert caught.value.field == "move.tractor.77"


def test_the_first_question_to_a_server_may_have_new_fields(requests: Requests) -> None:
    read = requests.reader(system_service_pb2.GetServerInfoRequest)
    assert read(NEW) == system_service_pb2.GetServerInfoRequest()
