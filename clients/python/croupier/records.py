"""Records as files: the bytes that their hashes are about.

Must not be put here: what a record means.
"""

from __future__ import annotations

from croupier.record.v1 import record_pb2


def record_bytes(record: record_pb2.MatchRecord) -> bytes:
    """*record* as the server wrote it: what `croupier verify` and other verifiers read.

    The library alone does not write it like that: it leaves the order of options open.
    """
    head = record_pb2.MatchRecord(format=record.format, table=record.table)
    tail = record_pb2.MatchRecord()
    tail.CopyFrom(record)
    tail.ClearField("format")
    tail.ClearField("table")
    tail.ClearField("options")
    options = []
    for name in sorted(record.options):
        entry = record_pb2.MatchRecord(options={name: record.options[name]})
        options.append(entry.SerializeToString())
    return b"".join((head.SerializeToString(), *options, tail.SerializeToString()))
