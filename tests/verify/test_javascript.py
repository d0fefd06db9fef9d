"""The second verifier, in another language and without our code, agrees with the first.

It runs where `node` is; CI has it, and there its absence is a failure.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.printable import is_unsafe
from croupier_server.verify import verify
from tests.verify.javascript import needs_node, node
from tests.verify.lies import LIES, match_record, other_facts, sealed, without_asked_time
from tests.verify.matches import cases, record

ROOT = Path(__file__).resolve().parent.parent.parent
VERIFIER = ROOT / "clients/javascript/verify.mjs"
TAMPER = Path(__file__).with_name("tamper.mjs")
FLIPS = 1_000
ALL = cases()

pytestmark = needs_node


def reports(files: list[Path]) -> list[dict[str, Any]]:
    """What the second verifier says of *files*."""
    done = node(VERIFIER, "--json", *files)
    assert done.stderr == ""
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == (0 if all(report["verified"] for report in found) else 1)
    assert [report["file"] for report in found] == [str(file) for file in files]
    return found


def written(folder: Path, contents: list[bytes]) -> list[Path]:
    """Files with these bytes."""
    files = [folder / f"{number}.croupier" for number in range(len(contents))]
    for file, data in zip(files, contents, strict=True):
        file.write_bytes(data)
    return files


@pytest.mark.more
def test_verifiable_both_verifiers_agree_on_a_hundred_records(tmp_path: Path) -> None:
    contents = [record(case) for case in ALL]
    assert len(contents) >= 100
    for case, data, report in zip(ALL, contents, reports(written(tmp_path, contents)), strict=True):
        ours = {check.name: check for check in verify(data).checks}
        theirs = {check["name"]: check for check in report["checks"]}
        assert report["verified"], (case.name, report)
        assert set(ours) - set(theirs) == {"replay"}
        for name in ("file", "chain", "decks", "result"):
            assert theirs[name]["detail"] == ours[name].detail, case.name


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_verifiable_random_changes_of_a_byte_are_found(game: str, tmp_path: Path) -> None:
    data = record(next(case for case in ALL if case.game == game))
    done = node(TAMPER, "random", str(FLIPS), *written(tmp_path, [data]))
    assert (done.stdout, done.stderr) == (f"{FLIPS} tried, 0 verified\n", "")


@pytest.mark.more
def test_verifiable_every_byte_of_a_record_counts(tmp_path: Path) -> None:
    data = record(next(case for case in ALL if case.game == "tongits" and case.end == "no show"))
    done = node(TAMPER, "all", "3", *written(tmp_path, [data]))
    assert (done.stdout, done.stderr) == (f"{3 * len(data)} tried, 0 verified\n", "")


@pytest.mark.more
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_verifiable_lies_with_true_hashes_are_found(lie: Any, tmp_path: Path) -> None:
    message = match_record()
    lie(message)
    (report,) = reports(written(tmp_path, [sealed(message)]))
    found = {check["name"] for check in report["checks"] if not check["holds"]}
    if LIES[lie] == {"replay"}:
        assert report["verified"], "clocks are not replayed here; the README says so"
    else:
        assert found & LIES[lie], found


@pytest.mark.attack
def test_a_deleted_asked_time_is_a_warning(tmp_path: Path) -> None:
    message = match_record()
    without_asked_time(message)
    (report,) = reports(written(tmp_path, [sealed(message)]))
    (check,) = [check for check in report["checks"] if check["warning"]]
    (ours,) = [check for check in verify(sealed(message)).checks if check.warning]
    assert (check["name"], check["detail"]) == (ours.name, ours.detail)


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_verifiable_no_fact_of_an_event_can_be_another_one(game: str, tmp_path: Path) -> None:
    for report in reports(written(tmp_path, other_facts(game, 60))):
        found = {check["name"] for check in report["checks"] if not check["holds"]}
        assert found & {"decks", "moves"}, report


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    for report in reports(written(tmp_path, [b"", b"\x00", b"\x08\x01", bytes(1000)])):
        assert [(check["name"], check["holds"]) for check in report["checks"]] == [("file", False)]


@pytest.mark.more
def test_the_status_tells_what_cannot_be_read(tmp_path: Path) -> None:
    assert node(VERIFIER, tmp_path / "none").returncode == 2
    assert node(VERIFIER).returncode == 2
    shown = node(VERIFIER, *written(tmp_path, [record(ALL[0]), b"x"]))
    assert shown.returncode == 1
    assert f"{tmp_path}/0.croupier: verified\n  ✓ file" in shown.stdout
    assert f"{tmp_path}/1.croupier: NOT verified\n  ✗ file" in shown.stdout


@pytest.mark.more
@pytest.mark.attack
def test_texts_of_a_file_are_escaped(tmp_path: Path) -> None:
    message = match_record()
    message.options.add(name="\x1b[2J\u202e\x9b", value="x")
    message.options[0].value = "\x1b]0;owned\x07"
    file = tmp_path / "a\x1b[2J\u202e\u2028.croupier"
    file.write_bytes(sealed(message))
    for done in (node(VERIFIER, file), node(VERIFIER, f"{file} none")):
        assert "\\u{1b}[2J\\u{202e}" in done.stdout + done.stderr
        assert not any(is_unsafe(one) for one in done.stdout + done.stderr if one != "\n")


@pytest.mark.more
@pytest.mark.attack
def test_a_file_of_millions_of_empty_rows_is_refused(tmp_path: Path) -> None:
    """Two bytes make an object, so it is their number that is bounded, not the time they take."""
    content = b"\x08\x03" + b"\x2a\x00" * (1 << 21)
    (report,) = reports(written(tmp_path, [content]))
    (check,) = report["checks"]
    assert (check["name"], check["holds"]) == ("file", False)
    assert check["detail"] == "more than 1048576 parts"


def test_a_file_that_is_too_large_is_not_read_on(tmp_path: Path) -> None:
    (report,) = reports(written(tmp_path, [bytes((64 << 20) + 1)]))
    assert report["checks"][0]["detail"] == "no record has more than 64 MiB"


OPAQUE = {"options", "spectator_delay"}
"""Messages that the second verifier takes as bytes; a hash pins them."""

NUMBERS = {
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_INT32: "int",
    FieldDescriptor.TYPE_INT64: "int",
    FieldDescriptor.TYPE_SINT32: "sint",
    FieldDescriptor.TYPE_SINT64: "sint",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_UINT32: "uint",
    FieldDescriptor.TYPE_UINT64: "uint",
}


def check_messages(told: list[dict[str, Any]], message: Descriptor, path: str) -> None:
    """Compare the fields of a message, and of the messages in it, with the contract's."""
    assert [field["number"] for field in told] == sorted(message.fields_by_number), path
    for own in told:
        field = message.fields_by_number[own["number"]]
        where = f"{path}.{field.name}"
        assert own["name"] == field.name, where
        inner = field.message_type
        is_map = inner is not None and inner.GetOptions().map_entry
        is_arm = field.containing_oneof is not None and len(field.containing_oneof.fields) > 1
        optional = is_arm or field.has_presence
        mode = "map" if is_map else "many" if field.is_repeated else "opt" if optional else "one"
        assert own["oneof"] == (is_arm or message.name in ONE_ARM), where
        assert own["mode"] == mode, where
        if inner is None:
            assert own["type"] == NUMBERS[field.type], where
        elif field.name in OPAQUE and message.name == "TableSpec":
            assert own["type"] == "bytes", where
        else:
            check_messages(own["type"], inner, where)


ONE_ARM = {"PokexPrivateEvent"}
"""Messages whose oneof has one arm so far."""


def test_the_messages_are_those_of_the_contract() -> None:
    """A field that is added to the contract is one that the second verifier would refuse."""
    done = node(Path(__file__).with_name("schema.mjs"))
    assert done.stderr == ""
    told = json.loads(done.stdout)
    check_messages(told["MatchRecord"], record_pb2.MatchRecord.DESCRIPTOR, "MatchRecord")
    check_messages(told["TableEvent"], table_pb2.TableEvent.DESCRIPTOR, "TableEvent")
