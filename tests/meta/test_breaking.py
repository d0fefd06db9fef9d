"""What is in the contract stays: `buf breaking` compares it with ``protos/baseline.binpb``.

`.ci/run` runs `make breaking`. Here it is shown to fail on what would break clients, and to let
pass what would not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

BUF = Path(sys.executable).parent / "buf"


class Change(NamedTuple):
    """A change of one file: *old* becomes *new*; *told* is what buf must say, "" for nothing."""

    file: str
    old: str
    new: str
    told: str


BREAKING = {
    "a renumbered field": Change(
        "croupier/v1/play_service.proto",
        "MoveAccepted accepted = 1;",
        "MoveAccepted accepted = 2;",
        'field "1" with name "accepted"',
    ),
    "a renamed call": Change(
        "croupier/v1/play_service.proto",
        "rpc SubmitMove(",
        "rpc PlayMove(",
        'RPC "SubmitMove"',
    ),
    "a field of another type": Change(
        "croupier/v1/table.proto",
        "uint32 sequence = 9;",
        "string sequence = 9;",
        'Field "9" with name "sequence"',
    ),
    "a renumbered value": Change(
        "croupier/v1/errors.proto",
        "ERROR_REASON_UNKNOWN_GAME = 2;",
        "ERROR_REASON_UNKNOWN_GAME = 1000;",
        'enum value "2" on enum "ErrorReason"',
    ),
    "a file without its Go package": Change(
        "croupier/v1/play_service.proto",
        'option go_package = "croupier/gen/go/croupier/v1;croupierv1";\n',
        "",
        'option "go_package" changed from',
    ),
    "a file with another C# namespace": Change(
        "croupier/v1/cards.proto",
        'option csharp_namespace = "Croupier.V1";',
        'option csharp_namespace = "Croupier";',
        'option "csharp_namespace" changed from',
    ),
    "a read that is none any more": Change(
        "croupier/v1/system_service.proto",
        "option idempotency_level = NO_SIDE_EFFECTS;",
        "option idempotency_level = IDEMPOTENT;",
        'RPC "GetServerInfo" on service "SystemService" changed',
    ),
    "a call that may no longer be repeated": Change(
        "croupier/v1/play_service.proto",
        "(SubmitMoveResponse) {\n    option idempotency_level = IDEMPOTENT;\n  }",
        "(SubmitMoveResponse);",
        'RPC "SubmitMove" on service "PlayService" changed',
    ),
    "a stream that was none": Change(
        "croupier/v1/table_service.proto",
        "returns (stream WatchLobbyResponse)",
        "returns (WatchLobbyResponse)",
        'RPC "WatchLobby"',
    ),
}

ADDITIONS = {
    "a new field": Change(
        "croupier/v1/play_service.proto",
        "MoveAccepted accepted = 1;",
        "MoveAccepted accepted = 1;\n  // One more.\n  uint32 more = 1000;",
        "",
    ),
    "a new call": Change(
        "croupier/v1/play_service.proto",
        "  rpc SubmitMove(",
        "  // Does nothing at all.\n  rpc TestMove(ConcedeRequest) returns (ConcedeResponse);\n"
        "  rpc SubmitMove(",
        "",
    ),
}


@pytest.fixture
def contract(root: Path, tmp_path: Path) -> Path:
    """A copy of the contract with its baseline, to be changed."""
    shutil.copy(root / "buf.yaml", tmp_path)
    shutil.copytree(root / "protos", tmp_path / "protos")
    return tmp_path


def breaking(folder: Path) -> tuple[int, str]:
    """Status and words of `buf breaking`, as `make breaking` runs it."""
    done = subprocess.run(
        [BUF, "breaking", "--against", "protos/baseline.binpb"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def edit(contract: Path, change: Change) -> None:
    """Carry out *change*."""
    path = contract / "protos" / change.file
    text = path.read_text()
    assert text.count(change.old) == 1
    path.write_text(text.replace(change.old, change.new))


def test_compatible_nothing_has_been_broken(root: Path) -> None:
    assert breaking(root) == (0, "")


@pytest.mark.more
@pytest.mark.parametrize("name", BREAKING)
def test_compatible_what_breaks_clients_is_refused(contract: Path, name: str) -> None:
    edit(contract, BREAKING[name])
    status, words = breaking(contract)
    assert status != 0
    assert BREAKING[name].told in words


def test_compatible_a_moved_message_is_refused(contract: Path) -> None:
    """A message that moves to another file keeps its bytes, but generated code changes place."""
    text = (contract / "protos/croupier/v1/play_service.proto").read_text()
    moved = "message OpenNonceResponse {}\n"
    assert moved in text
    (contract / "protos/croupier/v1/play_service.proto").write_text(
        text.replace(moved, "").replace(
            'import "croupier/v1/table.proto";',
            'import "croupier/v1/moved.proto";\nimport "croupier/v1/table.proto";',
        )
    )
    (contract / "protos/croupier/v1/moved.proto").write_text(
        f'syntax = "proto3";\n\npackage croupier.v1;\n\n{moved}'
    )
    status, words = breaking(contract)
    assert status != 0
    assert 'message "OpenNonceResponse"' in words


@pytest.mark.more
@pytest.mark.parametrize("name", ADDITIONS)
def test_compatible_additions_pass(contract: Path, name: str) -> None:
    edit(contract, ADDITIONS[name])
    assert breaking(contract) == (0, "")
