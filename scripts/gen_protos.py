"""Make everything that is generated from ``protos/`` and committed.

Run by ``make proto`` and ``make proto-check`` in the generator's own environment (``.tools``):
grpcio-tools 1.80.0 emits code for protobuf 6.31, which every runtime that the SDK allows can load.

Three outputs, because three readers want different things:

- ``clients/python/croupier/**``: the stubs that bot authors install.
- ``server/croupier_server/rpc/descriptors.binpb``: a ``FileDescriptorSet`` of the same files and
  their imports, whose hash ``GetServerInfo`` returns.
- ``server/croupier_server/wire/generated``: encoders of hot messages (``gen_encoders.py``).
"""

from __future__ import annotations

import argparse
import filecmp
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from google.protobuf import descriptor_pb2

from scripts import gen_encoders

ROOT = Path(__file__).resolve().parent.parent
SDK = Path("clients/python")
IMAGE = Path("server/croupier_server/rpc/descriptors.binpb")
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def run_protoc(*arguments: str) -> None:
    """Run protoc; its own messages go to stderr.

    Raises:
        SystemExit: protoc refused the files.
    """
    # Imported here: tests use the rest of this file where the generator is not installed.
    from grpc_tools import protoc

    status = protoc.main(["protoc", *arguments])
    if status != 0:
        raise SystemExit(f"gen_protos: protoc failed with status {status}")


def describe(protos: Path, names: Sequence[str], out: Path) -> descriptor_pb2.FileDescriptorSet:
    """Descriptors of *names* with comments and all imports, each import before its user."""
    well_known = files("grpc_tools") / "_proto"
    run_protoc(
        f"--proto_path={protos}",
        f"--proto_path={well_known}",
        "--include_imports",
        "--include_source_info",
        f"--descriptor_set_out={out}",
        *names,
    )
    return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())


def without_comments(
    image: descriptor_pb2.FileDescriptorSet,
) -> descriptor_pb2.FileDescriptorSet:
    """A copy without source info, which no program reads."""
    bare = descriptor_pb2.FileDescriptorSet()
    bare.CopyFrom(image)
    for file in bare.file:
        file.ClearField("source_code_info")
    return bare


def plugins() -> list[str]:
    """Options that name the type generators installed beside the running interpreter."""
    folder = Path(sys.executable).parent
    return [f"--plugin={folder / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]


def write_stubs(image: descriptor_pb2.FileDescriptorSet, names: Sequence[str], out: Path) -> None:
    """Generate messages, services and their types for *names* below the folder *out*."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(suffix=".binpb") as plain:
        plain.write(image.SerializeToString(deterministic=True))
        plain.flush()
        run_protoc(
            *plugins(),
            f"--descriptor_set_in={plain.name}",
            f"--python_out={out}",
            f"--grpc_python_out={out}",
            f"--mypy_out=quiet:{out}",
            f"--mypy_grpc_out=quiet:{out}",
            *names,
        )
    for name in names:
        # A file without a service gets an empty service stub; nobody would import it.
        file = next(file for file in image.file if file.name == name)
        if not file.service:
            for suffix in ("_pb2_grpc.py", "_pb2_grpc.pyi"):
                (out / name.replace(".proto", suffix)).unlink(missing_ok=True)
    for folder in sorted({out / Path(name).parent for name in names}):
        package = ".".join(folder.relative_to(out).parts)
        (folder / "__init__.py").write_text(f'"""Generated from the package {package}."""\n')
        parent = folder.parent
        while parent != out / "croupier":
            (parent / "__init__.py").write_text('"""Generated packages."""\n')
            parent = parent.parent


def generate(root: Path, out: Path) -> None:
    """Write everything that the checkout *root* commits, at its place below *out*.

    Raises:
        SystemExit: protoc refused the files, or there are none.
    """
    protos = root / "protos"
    names = sorted(
        path.relative_to(protos).as_posix() for path in (protos / "croupier").rglob("*.proto")
    )
    if not names:
        raise SystemExit(f"gen_protos: no proto files in {protos}")
    image_path = out / IMAGE
    image_path.parent.mkdir(parents=True, exist_ok=True)
    image = describe(protos, names, image_path)
    image_path.write_bytes(without_comments(image).SerializeToString(deterministic=True))
    write_stubs(image, names, out / SDK)
    gen_encoders.write_encoders(image, wanted_encoders(root), out / gen_encoders.FOLDER)


def wanted_encoders(root: Path) -> str:
    """All lists of messages that need an encoder in the checkout *root*, as one text."""
    lists = [path for each in gen_encoders.LISTS for path in sorted(root.glob(each))]
    return "\n".join(path.read_text() for path in lists)


def generated_files(root: Path) -> Iterator[Path]:
    """Paths, relative to *root*, of the generated files that are there, package files aside."""
    if (root / IMAGE).exists():
        yield IMAGE
    for pattern in GENERATED:
        for path in (root / SDK / "croupier").rglob(pattern):
            yield path.relative_to(root)
    for path in (root / gen_encoders.FOLDER).glob("*.py"):
        yield path.relative_to(root)


def differences(fresh: Path, root: Path) -> list[str]:
    """What is missing, stale or left over in *root* against *fresh*, one line each."""
    made = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    lines = []
    for path in sorted(made):
        if not (root / path).exists():
            lines.append(f"missing: {path}")
        elif not filecmp.cmp(fresh / path, root / path, shallow=False):
            lines.append(f"stale: {path}")
    lines += [f"left over: {path}" for path in sorted(set(generated_files(root)) - made)]
    return lines


def replace(fresh: Path, root: Path) -> None:
    """Put the files of *fresh* into *root* and remove generated files that are no longer made."""
    for path in sorted(generated_files(root)):
        if not (fresh / path).exists():
            (root / path).unlink()
    for source in sorted(path for path in fresh.rglob("*") if path.is_file()):
        target = root / source.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())


def main() -> int:
    """Generate; with ``--check`` change nothing and say what would change."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail on a difference")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to work on")
    arguments = parser.parse_args()
    root: Path = arguments.root
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        generate(root, fresh)
        lines = differences(fresh, root)
        if arguments.check:
            for line in lines:
                print(f"gen_protos: {line}", file=sys.stderr)
            if lines:
                print("gen_protos: run `make proto` and commit", file=sys.stderr)
                return 1
            print("gen_protos: stubs, encoders and descriptor image are current")
            return 0
        replace(fresh, root)
        print("\n".join(lines) if lines else "gen_protos: nothing changed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
