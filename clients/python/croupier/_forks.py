"""Keeps gRPC away from programs that a bot starts. Imported before anything that imports gRPC,
which reads the setting when it is loaded.

gRPC's handlers for forks serve children that go on using it. A child that is about to become
another program, such as an engine, does not, and now and then they crash it before it gets there.
"""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
