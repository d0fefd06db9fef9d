"""``croupier server-info``: what a server is and can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import DEFAULT_SERVER, say
from croupier_server.cli.credentials import Authority, KeyFile, ask

if TYPE_CHECKING:
    import grpc

_SECONDS = 5.0


def command(
    server: Annotated[
        str, typer.Option(help="Address of the server.", metavar="HOST:PORT")
    ] = DEFAULT_SERVER,
    key_file: KeyFile = None,
    ca: Authority = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print versions, capabilities, limits and rulesets of a server."""
    from google.protobuf.json_format import MessageToJson

    from croupier.v1 import system_service_pb2, system_service_pb2_grpc
    from croupier_server.cli.narrator import game_name

    async def call(channel: grpc.aio.Channel) -> system_service_pb2.GetServerInfoResponse:
        stub = system_service_pb2_grpc.SystemServiceStub(channel)
        request = system_service_pb2.GetServerInfoRequest()
        return await stub.GetServerInfo(request, timeout=_SECONDS)

    info = ask(server, call, key_file, ca)
    if json:
        print(MessageToJson(info, preserving_proto_field_name=True))
        return
    limits = info.limits
    say(f"Croupier {info.version} at {server}, speaks {', '.join(info.api_versions)}")
    say(f"can do: {', '.join(field.name for field, _ in info.capabilities.ListFields())}")
    say(f"heartbeat every {info.heartbeat_interval.ToMilliseconds()} ms")
    for field, value in limits.ListFields():
        say(f"{field.name}: {value}")
    if info.house_bots:
        say(f"house bots: {', '.join(info.house_bots)}")
    for ruleset in info.rulesets:
        say(f"{game_name(ruleset.game)} {ruleset.ruleset}: {ruleset.hash.hex()}")
