"""A bot without a line of gRPC: each call is a ``buf curl``, which asks the server what there is.

    croupier serve                                  # in one terminal
    python tests/e2e/curl_bot.py                    # in another; HOST:PORT may follow

It makes a table with house bots in the other seats, sits down at seat 0, asks for its view until it
is asked something, and answers with the fallback move.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

BUF = Path(sys.executable).parent / "buf"
CALL_SECONDS = 300
PLAYERS = 10


class Curl:
    """Calls of one server."""

    def __init__(self, address: str) -> None:
        self._url = f"http://{address}/croupier.v1"

    def __call__(self, method: str, request: dict[str, Any], ticket: str = "") -> dict[str, Any]:
        """Call ``Service/Method`` and return its answer; a refusal ends the program."""
        command = [str(BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge"]
        if ticket:
            command += ["--header", f"croupier-ticket: {ticket}"]
        done = subprocess.run(
            [*command, "--data", json.dumps(request), f"{self._url}.{method}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=CALL_SECONDS,
        )
        if done.returncode:
            sys.exit(f"{method}: {done.stderr}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


def table_request() -> dict[str, Any]:
    """A short deal: ten seats, hands of ten, and a kitty of eight for seat 0 to bury."""
    house = {"access": "SEAT_ACCESS_HOUSE", "houseBot": "greedy"}
    options = {"players": PLAYERS, "packs": 2, "starter": {"seat": 0}, "maxDeals": 1}
    return {
        "spec": {"game": "GAME_KIND_TRACTOR", "options": {"tractor": options}},
        "seats": [{"access": "SEAT_ACCESS_RESERVED"}, *[house] * (PLAYERS - 1)],
    }


def play(address: str) -> dict[str, Any]:
    """Play one match; its result."""
    call = Curl(address)
    made = call("TableService/CreateTable", table_request())
    table = {"tableId": made["table"]["tableId"]}
    invitation = {"inviteCode": made["invites"][0]["code"], "player": {"displayName": "buf curl"}}
    ticket = call("TableService/JoinTable", table | invitation)["ticket"]
    while True:
        seen = call("PlayService/GetSeatView", table, ticket)
        if "decision" in seen:
            decision = seen["decision"]
            answer = {"decisionId": decision["decisionId"], "move": decision["fallback"]}
            call("PlayService/SubmitMove", table | answer, ticket)
            print(decision["kind"]["tractor"], json.dumps(answer["move"]["tractor"]), flush=True)
        elif "result" in seen["snapshot"]["table"]:
            result: dict[str, Any] = seen["snapshot"]["table"]["result"]
            return result


if __name__ == "__main__":
    print(json.dumps(play(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7421"), indent=2))
