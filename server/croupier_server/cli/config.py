"""``croupier config``: what the settings are, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from croupier_server.cli.options import ConfigFile, expect_startable, read_settings, takes_settings
from croupier_server.config import Settings, Value, origins, without_password

group = typer.Typer(help="Show the settings of the server.")


@group.callback()
def _group() -> None:
    """Show the settings of the server."""


def show(config: Path | None = None, **flags: Value | None) -> None:
    """Print every setting, its value, and where it came from.

    Takes the flags of `croupier serve`, so you can check a command line. The output is TOML, with
    passwords hidden.
    """
    settings = read_settings(flags, config)
    expect_startable(settings)
    sources = origins(flags, config)
    lines = {name: _line(name, getattr(settings, name)) for name in Settings.model_fields}
    width = max(map(len, lines.values()))
    for name, line in lines.items():
        print(f"{line:{width}}  # {sources[name]}")


def _line(name: str, value: object) -> str:
    """A setting as TOML, which has no word for nothing."""
    if value is None:
        return f"# {name} ="
    if isinstance(value, bool | int):
        return f"{name} = {json.dumps(value)}"
    return f"{name} = {json.dumps(without_password(str(value)), ensure_ascii=False)}"


takes_settings(show, config=ConfigFile)
group.command("show")(show)
