"""What is hidden at every game, by its name."""

from __future__ import annotations

from tests.privacy.pokex import PokexSecrets
from tests.privacy.stories import Secrets
from tests.privacy.tongits import TongitsSecrets
from tests.privacy.tractor import TractorSecrets

SECRETS: dict[str, Secrets] = {
    secrets.name: secrets for secrets in (TractorSecrets(), TongitsSecrets(), PokexSecrets())
}
