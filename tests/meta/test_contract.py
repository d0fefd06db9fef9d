"""What every file and every call of the contract declares for code generators."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, MethodOptions

from croupier_server.rpc.validate import image_bytes

IMAGE: Final = FileDescriptorSet.FromString(image_bytes())
FILES: Final = {file.name: file for file in IMAGE.file if file.name.startswith("croupier/")}
CALLS: Final = {
    f"{file.package}.{service.name}/{call.name}": call
    for file in FILES.values()
    for service in file.service
    for call in service.method
}

IDEMPOTENT: Final = {
    "croupier.v1.PlayService/OpenNonce",
    "croupier.v1.PlayService/SubmitMove",
}
"""Calls that change something once, however often they are sent."""

CHANGES: Final = {
    "croupier.admin.v1.AdminService/AbortTable",
    "croupier.admin.v1.AdminService/AdjudicateTable",
    "croupier.admin.v1.AdminService/DrainServer",
    "croupier.admin.v1.AdminService/QuarantineTable",
    "croupier.admin.v1.AdminService/ReleaseTable",
    "croupier.admin.v1.AdminService/ResumeServer",
    "croupier.admin.v1.AdminService/VoidMatch",
    "croupier.v1.PlayService/Concede",
    "croupier.v1.PlayService/WatchTable",  # ends the older stream of the seat
    "croupier.v1.PlayService/WatchTables",  # likewise
    "croupier.v1.SessionService/Session",
    "croupier.v1.SpectateService/SpectateTable",  # bars the caller from tables of the board
    "croupier.v1.TableService/AbortTable",
    "croupier.v1.TableService/CreateTable",
    "croupier.v1.TableService/JoinTable",
    "croupier.v1.TableService/LeaveTable",
    "croupier.v1.TableService/StartTable",
    "croupier.v1.TournamentService/CancelTournament",
    "croupier.v1.TournamentService/CreateTournament",
    "croupier.v1.TournamentService/PauseTournament",
    "croupier.v1.TournamentService/ResumeTournament",
    "croupier.v1.TournamentService/StartTournament",
}
"""Calls that are neither idempotent nor reads. Every other call is a read without side effects."""


@pytest.mark.parametrize("file", FILES.values(), ids=lambda file: file.name)
def test_every_file_says_where_generated_code_goes(file: FileDescriptorProto) -> None:
    folder, words = file.package.replace(".", "/"), file.package.split(".")
    options = file.options
    assert options.go_package == f"croupier/gen/go/{folder};{''.join(words)}"
    assert options.java_package == file.package
    assert options.java_multiple_files
    assert options.csharp_namespace == ".".join(map(str.capitalize, words))


@pytest.mark.parametrize("file", FILES.values(), ids=lambda file: file.name)
def test_the_contract_imports_nothing_but_itself_and_protobuf(file: FileDescriptorProto) -> None:
    assert all(name.startswith(("croupier/", "google/protobuf/")) for name in file.dependency)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_says_whether_it_may_be_repeated(name: str) -> None:
    level = (
        MethodOptions.IDEMPOTENT
        if name in IDEMPOTENT
        else MethodOptions.IDEMPOTENCY_UNKNOWN
        if name in CHANGES
        else MethodOptions.NO_SIDE_EFFECTS
    )
    assert CALLS[name].options.idempotency_level == level


def test_the_lists_above_name_calls() -> None:
    assert set(CALLS) >= IDEMPOTENT | CHANGES


def test_no_comment_has_fewer_than_three_words(root: Path, tmp_path: Path) -> None:
    """A word such as "How." tells a reader of generated code nothing."""
    out = tmp_path / "image.binpb"
    buf = Path(sys.executable).parent / "buf"
    subprocess.run([buf, "build", "--as-file-descriptor-set", "-o", out], cwd=root, check=True)
    comments = [
        (file.name, place.span[0] + 1, place.leading_comments.strip())
        for file in FileDescriptorSet.FromString(out.read_bytes()).file
        if file.name in FILES
        for place in file.source_code_info.location
        if place.leading_comments
    ]
    assert {name for name, _, _ in comments} == set(FILES)
    assert [one for one in comments if len(one[2].split()) < 3] == []
