"""Croupier's server: pure rules, authoritative tables, and a gRPC service in front of them."""

import os

# As in `croupier._forks`, for what imports gRPC before the SDK: uvloop forks to start a process,
# and gRPC's handlers of forks end one such child in sixty while its threads are busy.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
