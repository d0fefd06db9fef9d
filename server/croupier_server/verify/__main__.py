"""A process that checks one record: reads it from standard input, writes its report as JSON.

Started by `verify.apart`. It gives way to everything else on the machine, and the system ends it
when it takes more than its share: a record comes from anybody.
"""

from __future__ import annotations

import json
import os
import resource
import sys

from croupier_server.verify import verify
from croupier_server.verify.apart import CPU_S, MEMORY_BYTES


def main() -> None:
    """Check the record on standard input."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    report = verify(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(report.as_data()))


if __name__ == "__main__":
    main()
