"""What was measured, as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from croupier_server.bench.in_process import Played
from croupier_server.bench.latency import LatencyResult
from croupier_server.bench.memory import MemoryResult
from croupier_server.bench.restart import RestartResult
from croupier_server.bench.served import Sample, middle, ratios, store_ratios

Data = dict[str, object]


@dataclass(slots=True)
class Findings:
    """Everything that one run has measured; parts that were not asked for are empty.

    Attributes:
        in_process: plays by ruleset, one a round.
        own: by game and what is counted, numbers a CPU second by name, one a round.
        served: samples by cell, one a round.
        memory: memory of a busy server.
        restart: a restart with many live tables.
        latency: answers to moves at a steady rate.
    """

    in_process: dict[str, list[Played]] = field(default_factory=dict)
    own: dict[str, list[Mapping[str, float]]] = field(default_factory=dict)
    served: dict[str, list[Sample]] = field(default_factory=dict)
    memory: MemoryResult | None = None
    restart: RestartResult | None = None
    latency: LatencyResult | None = None


def as_lines(findings: Findings) -> Iterable[str]:
    """The findings as text."""
    if findings.in_process:
        yield "in one process, random legal play: decisions a CPU second"
        for ruleset, plays in findings.in_process.items():
            yield f"  {ruleset:20} {_spread([played.rate for played in plays], ',.0f')}"
    for what, rounds in findings.own.items():
        yield f"{what}, a CPU second"
        for name, values in _by_name(rounds).items():
            yield f"  {name:20} {_spread(values, ',.0f')}"
    if findings.served:
        yield ""
        yield (
            "over gRPC, bots in a process of their own, sessions in view mode DELTA; figures a "
            "decision, call or item"
        )
        yield (
            f"  {'':33} {'a second':>26} {'to unary echo':>20} {'server us':>9} {'client us':>9} "
            f"{'bytes out':>9} {'bytes in':>9} {'other cores':>11}"
        )
        for cell, samples in findings.served.items():
            found = middle(samples)
            yield (
                f"  {cell:33} {_spread([s.rate for s in samples], ',.0f'):>26} "
                f"{_spread(ratios(findings.served, cell), '.2f'):>20} {found.server_us:9.1f} "
                f"{found.client_us:9.1f} {found.sent:9.0f} {found.received:9.0f} "
                f"{found.other_cores:11.2f}"
            )
        for cell in findings.served:
            if to_memory := store_ratios(findings.served, cell):
                yield f"  {cell}: {_spread(to_memory, '.2f')} of the store in memory"
    if findings.memory is not None:
        memory = findings.memory
        yield ""
        yield (
            f"memory: {memory.peak:.0f} MB with {memory.tables} live tables of {memory.game} and "
            f"{memory.watchers} watchers each ({memory.start:.0f} MB at the start; "
            f"{memory.decisions:,} decisions, {memory.events:,} events watched)"
        )
    if findings.restart is not None:
        yield ""
        yield _restart(findings.restart)
    if findings.latency is not None:
        yield ""
        yield _latency(findings.latency)


def _latency(found: LatencyResult) -> str:
    ratio = found.p99 / found.echo_p99
    return (
        f"answers to {found.moves:,} moves of {found.game}, {found.rate:g} a second, on SQLite: "
        f"half within {found.p50:.2f} ms, 99 of 100 within {found.p99:.2f} ms; the echo of the "
        f"same run {found.echo_p50:.2f} and {found.echo_p99:.2f} ms, so {ratio:.1f} times as "
        f"long; {found.starved} moves could not be made"
    )


def _restart(found: RestartResult) -> str:
    return (
        f"restart with {found.tables} live tables of {found.game}, killed after "
        f"{found.decisions:,} decisions: listening after {found.listening_s:.2f} s, "
        f"the first table after {found.first_s:.2f} s, all after {found.all_s:.2f} s "
        f"({found.cpu_s:.2f} s of CPU); {found.lost} lost"
    )


def _spread(values: Sequence[float], form: str) -> str:
    """Median, and lowest and highest where there are several."""
    text = format(median(values), form)
    if len(values) > 1:
        text += f" ({format(min(values), form)}-{format(max(values), form)})"
    return text


def _by_name(rounds: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The figures of all *rounds* by their names."""
    return {name: [found[name] for found in rounds] for name in rounds[0]}


def as_data(findings: Findings) -> Data:
    """The findings as data: every round, medians and ratios."""
    data: Data = {
        "in_process": {
            ruleset: {
                "decisions_per_cpu_s": median(played.rate for played in plays),
                "rounds": [{**played._asdict(), "rate": played.rate} for played in plays],
            }
            for ruleset, plays in findings.in_process.items()
        },
        "own": {what: _by_name(rounds) for what, rounds in findings.own.items()},
        "served": {
            cell: {
                "median": middle(samples)._asdict(),
                "ratio_to_unary_echo": median(ratios(findings.served, cell)),
                "ratios": ratios(findings.served, cell),
                "ratios_to_memory": store_ratios(findings.served, cell),
                "rounds": [sample._asdict() for sample in samples],
            }
            for cell, samples in findings.served.items()
        },
    }
    if findings.memory is not None:
        data["memory"] = findings.memory._asdict()
    if findings.restart is not None:
        data["restart"] = findings.restart._asdict()
    if findings.latency is not None:
        data["latency"] = findings.latency._asdict()
    return data
