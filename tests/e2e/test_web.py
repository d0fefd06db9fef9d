"""The web port of a server as a process, with real curl: the commands of docs/web.md, and TLS."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import trustme

from tests.e2e.serving import SECONDS, Served, served
from tests.meta.sources import ROOT

HOUSE = {"access": "SEAT_ACCESS_HOUSE", "houseBot": "greedy"}
TONGITS = {"game": "GAME_KIND_TONGITS", "options": {"tongits": {"maxHands": 1}}}
POKEX = {"game": "GAME_KIND_POKEX", "options": {"pokex": {"maxDeals": 1}}}
NEW = {
    "tractor": "",
    "tongits": json.dumps({"spec": TONGITS, "seats": [{}, HOUSE, HOUSE]}),
    "pokex": json.dumps({"spec": POKEX, "seats": [{}, HOUSE, HOUSE, HOUSE]}),
}

pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")) and not os.environ.get("CI"),
    reason="curl or jq is not installed (Debian: apt-get install curl jq)",
)


def web_address(server: Served) -> str:
    assert server.web
    return server.web


@pytest.mark.more
@pytest.mark.parametrize("game", NEW)
def test_a_deal_with_curl(game: str) -> None:
    page = (ROOT / "docs/web.md").read_text(encoding="utf-8").split("## JSON")[0]
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    with served("--web", "0") as server:
        script = "set -euo pipefail\n" + "".join(blocks).replace(
            "127.0.0.1:7422", web_address(server)
        )
        environment = {**os.environ, "NEW": NEW[game]}
        done = subprocess.run(
            ["bash", "-c", script],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
            timeout=SECONDS,
        )
    assert done.returncode == 0, done.stderr
    answers, _, result = done.stdout.partition("\n{\n")
    assert '"sequence"' in answers
    assert json.loads("{" + result)["seats"][0]["seat"] == 0


@pytest.mark.more
def test_the_certificate_of_the_server_is_that_of_the_port(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    ca, cert, key = (str(tmp_path / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    authority.cert_pem.write_to_path(ca)
    issued.private_key_pem.write_to_path(key)
    issued.cert_chain_pems[0].write_to_path(cert)
    with served("--web", "0", "--tls-cert", cert, "--tls-key", key) as server:
        url = f"https://{web_address(server)}/croupier.v1.SystemService/GetServerInfo"
        done = subprocess.run(
            [
                "curl",
                "-sS",
                "--cacert",
                ca,
                url,
                "-d",
                "{}",
                "-H",
                "content-type: application/json",
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    assert json.loads(done.stdout)["apiVersions"]
