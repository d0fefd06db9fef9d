"""Compiles the parts of the server that do most of its work to machine code, with mypyc.

Off by default; `make compiled` sets ``HATCH_BUILD_HOOK_ENABLE_CUSTOM``, which turns it on. The
wheel keeps the sources, so tracebacks still show their lines.
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILED: Final = (
    "bench/in_process.py",
    "games/**/*.py",
    "storage/codec.py",
    "storage/packing.py",
    "tables/**/*.py",
    "wire/**/*.py",
)
"""What is compiled, below the package."""

LEFT_OUT: Final = {
    "**/__init__.py": "nothing to gain",
    "games/clauses.py": "runs once",
    "games/module.py": "runs once",
    "games/modules.py": "runs once",
    "games/registry.py": "runs once",
    "games/features.py": "for environments",
    "games/*/features.py": "for environments",
    "games/notation.py": "for people",
    "games/telling.py": "for people",
    "games/*/bench.py": "runs as a program of its own",
    "games/*/module.py": "runs once",
    "games/*/notation.py": "for people",
    "games/*/teller.py": "for people",
    "games/*/vectors.py": "for tests",
    "games/positions.py": "for tests",
    "games/searching.py": "guides set a type of their own for `game`, which mypyc refuses",
    "games/*/guide.py": "see `games/searching.py`",
    "games/*/worlds.py": "used by the bot `search` alone, as guides are",
    "games/tractor/quick.py": "used by the guide alone",
    "wire/options.py": "runs once a table",
}
"""What of that is not, and why."""

CHECKED_AS: Final = ("--config-file=", "--explicit-package-bases", "--ignore-missing-imports")
"""Options of mypy. `make types` checks more."""

OPTIMISATION: Final = "1"
"""Levels 2 and 3 take longer to build, and gain nothing that can be measured."""


def modules(package: Path) -> list[Path]:
    """The files that are compiled, below *package*."""
    left_out = {path for pattern in LEFT_OUT for path in package.glob(pattern)}
    found = {path for pattern in COMPILED for path in package.glob(pattern)}
    return sorted(found - left_out)


class CompilingHook(BuildHookInterface[BuilderConfig]):
    """Adds the compiled modules to a wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        return ["mypy[mypyc]>=2.4", "types-protobuf"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put what comes out into the wheel."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory(prefix="croupier-compiled-")
        folder = Path(self._folder.name)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for library in compile_modules(Path(self.root) / "server", folder):
            build_data["force_include"][str(library)] = str(library.relative_to(folder / "lib"))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled; the wheel has it."""
        if version != "editable":
            self._folder.cleanup()


def compile_modules(server: Path, folder: Path) -> list[Path]:
    """Compile what `modules` names below *server*; returns the libraries, which are below *folder*
    where they belong in a wheel."""
    # Imported here because a plain build has neither.
    from mypyc.build import mypycify
    from setuptools._distutils.ccompiler import new_compiler
    from setuptools._distutils.sysconfig import customize_compiler

    paths = modules(server / "croupier_server")
    os.environ["MYPYPATH"] = os.pathsep.join((str(server), str(server.parent / "clients/python")))
    extensions = mypycify(
        [*CHECKED_AS, f"--cache-dir={folder / 'mypy'}", *map(str, paths)],
        opt_level=OPTIMISATION,
        debug_level="0",
        multi_file=True,
        target_dir=str(folder / "c"),
        group_name="croupier_server",
    )
    compiler = new_compiler()
    customize_compiler(compiler)
    headers = sysconfig.get_path("include")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")

    def compiled(extension: Any, source: str) -> str:
        found: list[str] = compiler.compile(
            [source],
            output_dir=str(folder / "o"),
            include_dirs=[headers, *extension.include_dirs],
            extra_postargs=extension.extra_compile_args,
        )
        return found[0]

    libraries = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [
            [pool.submit(compiled, extension, source) for source in extension.sources]
            for extension in extensions
        ]
        for extension, objects in zip(extensions, parts, strict=True):
            library = folder / "lib" / (extension.name.replace(".", "/") + suffix)
            compiler.link_shared_object(
                [part.result() for part in objects], str(library), extra_postargs=["-Wl,-s"]
            )
            libraries.append(library)
    return libraries
