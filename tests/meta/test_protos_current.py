"""The committed stubs and the server's descriptor image say what ``protos/`` says.

``make proto-check`` compares the files byte by byte, with the generator at hand. These tests need
only buf, so that a stale stub fails the ordinary run too.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool

from scripts.gen_protos import IMAGE, differences

FileSet = descriptor_pb2.FileDescriptorSet
OWN = "croupier/"


def files(image: FileSet) -> Iterator[descriptor_pb2.FileDescriptorProto]:
    """Files of the contract, in order of name."""
    yield from sorted((f for f in image.file if f.name.startswith(OWN)), key=lambda f: f.name)


@pytest.fixture(scope="module")
def image(root: Path) -> FileSet:
    """The committed descriptor image."""
    return FileSet.FromString((root / IMAGE).read_bytes())


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> FileSet:
    """What buf reads from ``protos/`` now."""
    out = tmp_path_factory.mktemp("buf") / "image.binpb"
    buf = Path(sys.executable).parent / "buf"
    subprocess.run(
        [buf, "build", "--as-file-descriptor-set", "--exclude-source-info", "-o", out],
        cwd=root,
        check=True,
    )
    return FileSet.FromString(out.read_bytes())


def test_the_image_is_current(image: FileSet, built: FileSet) -> None:
    assert [f.name for f in files(image)] == [f.name for f in files(built)]
    for ours, theirs in zip(files(image), files(built), strict=True):
        assert ours == theirs, f"{ours.name}: run `make proto`"


def test_the_stubs_are_current(image: FileSet) -> None:
    for file in files(image):
        module = importlib.import_module(file.name.replace("/", ".").replace(".proto", "_pb2"))
        stub = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        assert stub == file, f"{file.name}: run `make proto`"


def test_the_image_loads_into_a_pool_of_its_own(image: FileSet) -> None:
    pool = descriptor_pool.DescriptorPool()
    for file in image.file:
        pool.AddSerializedFile(file.SerializeToString())
    for file in files(image):
        for service in file.service:
            assert pool.FindServiceByName(f"{file.package}.{service.name}") is not None


def test_the_record_package_is_not_imported_by_play(image: FileSet) -> None:
    for file in files(image):
        if file.package == "croupier.v1":
            assert [d for d in file.dependency if d.startswith("croupier/record/")] == []


def test_check_names_missing_stale_and_left_over_files(tmp_path: Path) -> None:
    fresh, root = tmp_path / "fresh", tmp_path / "root"
    folder = Path("clients/python/croupier/v1")
    for place, name, text in [
        (fresh, "same_pb2.py", "1"),
        (root, "same_pb2.py", "1"),
        (fresh, "stale_pb2.py", "1"),
        (root, "stale_pb2.py", "2"),
        (fresh, "missing_pb2.py", "1"),
        (root, "gone_pb2_grpc.pyi", "1"),
        (root, "written_by_hand.py", "1"),
    ]:
        (place / folder).mkdir(parents=True, exist_ok=True)
        (place / folder / name).write_text(text)
    assert differences(fresh, root) == [
        f"missing: {folder}/missing_pb2.py",
        f"stale: {folder}/stale_pb2.py",
        f"left over: {folder}/gone_pb2_grpc.pyi",
    ]
