"""Requests are judged by the rules on the contract's fields, and every fault has its path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from protovalidate import Validator

from croupier.record.v1 import record_service_pb2 as rec
from croupier.v1 import catalog_service_pb2 as cat
from croupier.v1 import play_service_pb2 as play
from croupier.v1 import table_service_pb2 as ts
from croupier_server.errors import IllegalMove, InvalidRequest, MalformedMove, Reason
from croupier_server.rpc.validate import Requests, image_bytes, path_of
from croupier_server.wire.registry import WIRES_BY_NAME
from tests.rpc.calls import build

MOVE = 'table_id: "t" decision_id: "1-0" '


def refused(requests: Requests, message: Message) -> InvalidRequest:
    read: Callable[[bytes], Message] = requests.reader(type(message))
    with pytest.raises(InvalidRequest) as caught:
        read(message.SerializeToString())
    assert caught.value.reason is Reason.MALFORMED_REQUEST
    return caught.value


def annotated() -> descriptor_pool.DescriptorPool:
    """The contract with its rules."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(image_bytes()).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


@pytest.fixture(scope="module")
def judge() -> Callable[[Message], list[str]]:
    """Paths of the fields of a message that break a rule of the contract."""
    pool, validator = annotated(), Validator()

    def find(message: Message) -> list[str]:
        descriptor = pool.FindMessageTypeByName(message.DESCRIPTOR.full_name)
        judged = message_factory.GetMessageClass(descriptor).FromString(message.SerializeToString())
        return [path_of(fault) for fault in validator.collect_violations(judged)]

    return find


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
    (ts.CreateTableRequest, "", ["game"]),
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
    (ts.CreateTableRequest, "spec { game: 1 clock { strikes: 1001 } }", ["spec.clock.strikes"]),
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


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", b"\x07" * 40])
def test_bytes_that_are_no_message_are_malformed(requests: Requests, data: bytes) -> None:
    with pytest.raises(InvalidRequest) as caught:
        requests.reader(ts.GetTableRequest)(data)
    assert caught.value.reason is Reason.MALFORMED_REQUEST


def test_fields_of_a_later_version_are_passed_over(requests: Requests) -> None:
    data = ts.GetTableRequest(table_id="t").SerializeToString() + b"\xfa\x3e\x03abc"
    assert requests.reader(ts.GetTableRequest)(data).table_id == "t"


def test_a_request_that_is_too_long_is_not_parsed(requests: Requests) -> None:
    with pytest.raises(InvalidRequest, match="65537 bytes; at most 65536"):
        requests.reader(ts.GetTableRequest)(b"\xff" * 65_537)


def test_of_a_long_request_one_fault_is_enough() -> None:
    request = build(ts.CreateTableRequest, "spec { game: 1 } " + "seats { access: 9 } " * 60_000)
    assert len(refused(Requests(1 << 20), request).violations) == 1


MOVES = [
    "",
    "move {}",
    "move { tractor {} }",
    "move { tractor { decline {} } }",
    "move { tractor { play {} } }",
    "move { tractor { play { cards: [1, 1, 14] } } }",
    "move { tractor { play { cards: [1, 0, 2] } } }",
    "move { tractor { play { cards: 55 } } }",
    "move { tractor { play { cards: -1 } } }",
    f"move {{ tractor {{ play {{ cards: [{', '.join(['7'] * 201)}] }} }} }}",
    "move { tractor { bury {} } }",
    "move { tractor { bury { cards: [53, 54, 0] } } }",
    "move { tractor { bury { cards: [1, 2, 3] } } }",
    "move { tractor { declare {} } }",
    "move { tractor { declare { cards: [1, 1] } } }",
    "move { tractor { declare { cards: [1, 1, 1, 1, 1, 1, 1] } } }",
    "move { tractor { declare { cards: 99 } } }",
    "move { tractor { show {} } }",
    "move { tractor { show { card: 5 } } }",
    "move { tractor { show { card: 99 } } }",
    "move { tractor { call {} } }",
    "move { tractor { call { points: 80 } } }",
    "move { tractor { call { points: 601 } } }",
    "move { tractor { name_trumps {} } }",
    "move { tractor { name_trumps { suit: 2 } } }",
    "move { tractor { name_trumps { suit: 0 } } }",
    "move { tractor { name_trumps { suit: 9 } } }",
    "move { tongits {} }",
    "move { tongits { draw_stock {} } }",
    "move { tongits { take_discard { cards: [1, 2] } } }",
    "move { tongits { take_discard { meld: 51 } } }",
    "move { tongits { take_discard { meld: 52 } } }",
    "move { tongits { take_discard { cards: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] } } }",
    "move { tongits { take_discard { cards: [1, 55] } } }",
    "move { tongits { meld { cards: [1, 2] } } }",
    "move { tongits { meld { cards: [1, 2, 3] } } }",
    "move { tongits { meld { cards: [1, 2, 0] } } }",
    "move { tongits { secret_four {} } }",
    "move { tongits { secret_four { rank: RANK_ACE } } }",
    "move { tongits { secret_four { rank: 1 } } }",
    "move { tongits { lay_off { meld: 1 } } }",
    "move { tongits { lay_off { cards: 1 } } }",
    "move { tongits { lay_off { meld: 52 cards: 1 } } }",
    "move { tongits { lay_off { meld: 5 cards: 99 } } }",
    "move { tongits { discard {} } }",
    "move { tongits { discard { card: CARD_TWO_OF_SPADES } } }",
    "move { tongits { discard { card: 60 } } }",
    "move { pokex {} }",
    "move { pokex { decline {} } }",
    "move { pokex { bid {} } }",
    "move { pokex { bid { tricks: 6 } } }",
    "move { pokex { bid { tricks: 7 } } }",
    "move { pokex { name_rank {} } }",
    "move { pokex { name_rank { rank: RANK_TWO } } }",
    "move { pokex { name_rank { rank: 15 } } }",
    "move { pokex { play { cards: 1 } } }",
    "move { pokex { play { cards: [1, 2] } } }",
    "move { pokex { play { cards: [1, 2, 3] } } }",
    "move { pokex { play { cards: [0, 1] } } }",
    "move { pokex { play { cards: [1, 2] center: CARD_RED_JOKER } } }",
    "move { pokex { play { cards: [1, 2] center: 0 } } }",
    "move { pokex { play { cards: [1, 2] center: 55 } } }",
]


@pytest.mark.parametrize("text", MOVES)
def test_a_move_is_left_to_the_wire_which_judges_alike(
    requests: Requests, judge: Callable[[Message], list[str]], text: str
) -> None:
    request = build(play.SubmitMoveRequest, MOVE + text)
    faults = judge(request)
    assert requests.reader(play.SubmitMoveRequest)(request.SerializeToString()) == request
    wire = WIRES_BY_NAME[request.move.WhichOneof("game") or "tractor"]
    if not faults:
        wire.move_code(request.move)
        return
    with pytest.raises((IllegalMove, MalformedMove)) as caught:
        wire.move_code(request.move)
    expected = {"move": "move.game"}.get(faults[0], faults[0])
    assert caught.value.field == expected


def test_rules_are_read_from_the_image_alone() -> None:
    """A stub says nothing of rules: the same request passes when its stub is judged."""
    bad = build(cat.GetRulesetRequest, "game: 99")
    assert Validator().collect_violations(bad) == []


def test_every_request_of_the_contract_has_rules_that_compile() -> None:
    image = descriptor_pb2.FileDescriptorSet.FromString(image_bytes())
    pool = annotated()
    validator = Validator()
    seen = 0
    for file in image.file:
        for service in file.service:
            for method in service.method:
                name = method.input_type.removeprefix(".")
                message = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))()
                validator.collect_violations(message)
                seen += 1
    assert seen >= 20


def test_our_rules_have_the_engines_names_and_numbers(root: Path) -> None:
    """The engine reads rules by number, so a number of ours that is not its own would be lost."""
    from protovalidate._gen.buf.validate import validate_pb

    image = descriptor_pb2.FileDescriptorSet.FromString(image_bytes())
    (ours,) = (file for file in image.file if file.name == "buf/validate/validate.proto")
    for message in ours.message_type:
        theirs = getattr(validate_pb, message.name).desc()
        published = {(field.name, field.number) for field in theirs.fields}
        assert {(field.name, field.number) for field in message.field} <= published
    (extension, *_) = {field.number for field in ours.extension}
    assert extension == validate_pb.ext_field.desc().number
