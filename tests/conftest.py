"""What every test gets: how hard hypothesis tries, and where the checkout is.

Fixtures of one area live in a ``conftest.py`` of that area; plain helpers live in modules that
tests import as ``tests.<name>``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.storage.postgres"]

# No deadline: a loaded machine is not a bug. Failures print the blob that repeats them. The
# default profile is the same on every run, so that `make test` never fails by luck alone.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", settings.get_profile("default"), derandomize=False)
settings.register_profile("nightly", settings.get_profile("search"), max_examples=5_000)
# Servers under test keep nothing, unless their test says otherwise.
os.environ["CROUPIER_STORE"] = "memory:"

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
