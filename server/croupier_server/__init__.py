"""Croupier's server: pure rules, authoritative tables, and a gRPC service in front of them."""

import os

# The event loop forks to start a process. What gRPC does in a fork while its threads are busy ends
# one child in sixty before it has begun; it does nothing when told so before it is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
