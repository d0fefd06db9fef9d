"""Options of commands that read the settings of the server, and reading them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from croupier_server.cli.common import fail
from croupier_server.config import FILE_VARIABLE, Settings, SettingsError, Value, load

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help=f"TOML file with settings. Default: the file in {FILE_VARIABLE}.",
        metavar="FILE",
    ),
]


def read_settings(flags: Mapping[str, Value | None], config: Path | None) -> Settings:
    """The settings, or the end of the command with one line that says what is wrong with them."""
    try:
        settings = load(flags, config)
    except SettingsError as error:
        fail(str(error))
    expect_store(settings.store_url)
    return settings


def expect_startable(settings: Settings) -> None:
    """End the command if nobody could use a server with these settings."""
    if settings.asks_for_keys and settings.store_url == "memory:":
        fail("store: a store in memory cannot have keys, but this server requires them")


def expect_store(url: str) -> str:
    """*url* itself if there are stores of its kind; else the end of the command."""
    from croupier_server.storage.base import StoreError
    from croupier_server.storage.opening import split_url

    try:
        split_url(url)
    except StoreError as error:
        fail(str(error))
    return url


def takes_settings(command: Callable[..., Any], **others: object) -> None:
    """Give *command* an option for every setting, and *others*, which are annotations by name.

    typer reads the signature of a command; this one is made from the settings.
    """
    parameters = [*_settings(), *(_parameter(name, kind) for name, kind in others.items())]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in parameters}


def _settings() -> Iterator[inspect.Parameter]:
    for name, field in Settings.model_fields.items():
        flag = f"--{name.replace('_', '-')}"
        annotation: object = field.annotation
        default = str(field.default)
        if annotation is bool and field.default:
            # A switch that is on takes a value: a second name to turn it off fills the help.
            annotation, default = Literal["true", "false"], default.lower()
        option = typer.Option(
            flag,
            help=field.description,
            show_default=False if default in ("False", "None") else default,
        )
        yield _parameter(name, Annotated[annotation | None, option])  # type: ignore[operator]


def _parameter(name: str, annotation: object) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )
