"""``croupier keys``: make, list and revoke API keys, also while the server runs."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from croupier_server.cli.common import fail, say
from croupier_server.cli.options import ConfigFile
from croupier_server.cli.stores import StoreUrl, audited, now_ms, run_beside, store_url
from croupier_server.cli.times import read_span
from croupier_server.identity.keys import Scope, is_key_id, is_principal, key_id_of, new_key

if TYPE_CHECKING:
    from croupier_server.storage.base import StoredKey
    from croupier_server.storage.beside import Beside

_MILLIS: Final = 1_000

group = typer.Typer(help="Create, list and revoke API keys.")


@group.callback()
def _group() -> None:
    """Create, list and revoke API keys.

    They work on the store that the settings name, while the server runs or not; it heeds a change
    within about a second.
    """


@group.command("create")
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Principal that the key is for; it may have several keys."
        ),
    ],
    scope: Annotated[list[Scope], typer.Option(help="Scope of the key; may be repeated.")],
    expires: Annotated[
        str, typer.Option(help="Lifetime, such as 90d or 12h. Default: never expires.")
    ] = "",
    note: Annotated[str, typer.Option(help="A note for your own use.")] = "",
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Create a key and print it. It cannot be shown again: the store has only its hash."""
    import secrets

    from croupier_server.storage.base import StoredKey

    if not is_principal(name):
        fail(
            f"{name!r} is not a valid name: use up to 64 letters, digits and . _ @ -, starting "
            "with a letter or digit; local, house and anybody are reserved, in any case"
        )
    if not note.isprintable():
        fail("--note: only printable characters are allowed")
    now = now_ms()
    lasts = read_span("--expires", expires) if expires else None
    if lasts is not None and not lasts:
        fail(f"--expires: must be positive, not {expires}")
    ends = None if lasts is None else now + int(lasts.total_seconds()) * _MILLIS
    made = new_key(secrets.token_bytes)
    scopes = frozenset(map(str, scope))
    key = StoredKey(made.key_id, name, scopes, made.hash, now, ends, None, note)

    async def add(beside: Beside) -> None:
        detail = f"{name}: {', '.join(sorted(scopes))}" + (f", for {expires}" if expires else "")
        await audited(beside, "keys create", made.key_id, detail, beside.keys.add(key))

    run_beside(store_url(store, config), add, may_make=True)
    print(made.text)


@group.command("list")
def list_keys(
    every: Annotated[bool, typer.Option("--all", help="Include expired and revoked keys.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """List keys, oldest first, without the keys themselves."""

    async def ask(beside: Beside) -> list[StoredKey]:
        return list(await beside.keys.all())

    now = now_ms()
    found = [
        key
        for key in run_beside(store_url(store, config), ask)
        if every or _state(key, now) == "good"
    ]
    if as_json:
        print(json.dumps([_as_data(key, now) for key in found], indent=2))
        return
    if not found:
        print("no keys", file=sys.stderr)
    for key in found:
        scopes = ",".join(sorted(key.scopes))
        ends = _time(key.expires_ms) or "never"
        say(
            f"{key.key_id}  {_state(key, now):<7}  {key.principal:<16}  {scopes:<20}  "
            f"made {_time(key.created_ms)}  expires {ends}  {key.note}".rstrip()
        )


@group.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, see `keys list`.")],
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Revoke a key. Within about a second the server refuses it and ends its streams.

    You may pass the key itself instead of its id; it is neither printed nor stored.
    """
    key_id = key_id_of(key_id) or key_id
    if not is_key_id(key_id):
        fail("not the id of a key; `croupier keys list` shows the ids")

    async def end(beside: Beside) -> Any:
        revoking = beside.keys.revoke(key_id, now_ms())
        return await audited(beside, "keys revoke", key_id, "", revoking)

    if not run_beside(store_url(store, config), end):
        fail(f"there is no key {key_id}, or it is already revoked", exit_code=1)
    print(f"revoked {key_id}")


def _state(key: StoredKey, now_ms: int) -> str:
    if key.revoked_ms is not None:
        return "revoked"
    return "expired" if key.expires_ms is not None and key.expires_ms <= now_ms else "good"


def _as_data(key: StoredKey, now_ms: int) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "principal": key.principal,
        "scopes": sorted(key.scopes),
        "state": _state(key, now_ms),
        "created": _time(key.created_ms),
        "expires": _time(key.expires_ms),
        "revoked": _time(key.revoked_ms),
        "note": key.note,
    }


def _time(ms: int | None) -> str | None:
    if ms is None:
        return None
    return datetime.fromtimestamp(ms // _MILLIS, UTC).isoformat().replace("+00:00", "Z")
