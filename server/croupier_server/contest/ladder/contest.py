"""The state of a contest, computed from its log.

`Contest.apply` takes the events in order. Results count along the contiguous prefix of boards, so
that nothing depends on which board ended first: a decision (the next batch, a quarantine, the end
of a sequential test) sees exactly the boards before it. Boards beyond a decision to stop are not
counted.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final, NamedTuple

from croupier_server.contest.boards import board as board_of
from croupier_server.contest.ladder import formats
from croupier_server.contest.ladder.corrections import Corrections
from croupier_server.contest.ladder.events import Event, Kind, State, TableResult, read_times
from croupier_server.contest.ladder.formats import Meeting, Pair, Round, pair_of
from croupier_server.contest.ladder.schedule import Groups, Roster
from croupier_server.contest.ladder.spec import Form, Format, Primary, Spec, parse_spec
from croupier_server.contest.pairing import Match
from croupier_server.contest.results import Outcome, margin
from croupier_server.contest.statistics.sprt import Decision, Hypotheses, Sprt
from croupier_server.contest.timing import Times

_UNPLAYED: Final = (Outcome.SERVER_FAULT, Outcome.VOID)


@dataclass(slots=True)
class Values:
    """The boards on which two entrants met, from the side of the first, in the order of boards.

    Attributes:
        boards: their numbers.
        wins: share of matches that the first won on each; a draw is half a win.
        margins: mean margin of the first on each.
    """

    boards: array[int] = field(default_factory=lambda: array("q"))
    wins: array[float] = field(default_factory=lambda: array("d"))
    margins: array[float] = field(default_factory=lambda: array("d"))


@dataclass(slots=True)
class Tally:
    """Matches of one entrant; at a table of three each of its two opponents counts.

    Attributes:
        matches, wins, draws, losses: how many; faults are among the wins and losses.
        faults: own faults, by kind.
        boards: how many boards it was given.
    """

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    boards: int = 0
    faults: Counter[Outcome] = field(default_factory=Counter)


class Batch(NamedTuple):
    """Boards that were scheduled together: numbers from ``start`` to before ``end``."""

    start: int
    end: int
    boards: tuple[Groups, ...]


class Substitute(NamedTuple):
    """A bot that has taken the place of those of an entrant.

    Attributes:
        entrant: whose place it takes.
        bot: as the file of a contest names bots.
        start: the first board that it plays.
        why: the reason.
    """

    entrant: int
    bot: str
    start: int
    why: str


class Verdict(NamedTuple):
    """Why a contest has ended by a decision: ``text`` for people, after ``boards`` boards."""

    text: str
    boards: int


class Contest:
    """The state of a contest; see `apply`.

    Args:
        corrections: all corrections in its log.

    Attributes:
        corrections: as given.
        spec: as it was begun, with a seed, and with the length that it has now.
        seed: of cards and bots.
        bot_names: what each bot is called, by its number.
        builds: of each bot, those that it has played with.
        ruleset, options: what is played; all options, as text.
        server_version, rules_version: of the server that began it.
        teams: team of each seat.
        batches: what has been scheduled.
        counted: boards that count: all with smaller numbers have ended.
        alone: bots that get a process for each match.
        redeals: how often boards have been dealt to bots that dial in, but for the first time.
        withdrawn: entrants who no longer take part, with the reason.
        substitutes: bots that play in the place of others, in the order of their numbers; the first
            has the number after that of the house.
        roster: who plays for whom, on boards that are scheduled now.
        values: of the pairs that have met.
        records: matches won, drawn and lost by the first of each pair.
        matches: how many count.
        times: how long bots thought, by number.
        thinking: maximum number of bots that have thought at once under a clock, and the cores
            that were free for them; None: nobody knows, or there is no clock.
        sprt: the sequential test, if there is one.
        tallies: of the entrants.
        verdict: the decision that has ended the contest, if any.
        is_finished: whether nothing is left to play.
        state: the state that the organiser has set.
        state_why: the reason for that.
        last: number of the last event; 0: there is no contest yet.
        last_order: number of the last order of an organiser that was followed.
    """

    spec: Spec
    thinking: tuple[int, int] | None

    def __init__(self, corrections: Corrections | None = None) -> None:
        self.corrections = corrections or Corrections()
        self.last = 0
        self.last_order = 0
        self.is_finished = False
        self.state = State.RUNNING
        self.state_why = ""

    # Events ------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take in the next event.

        Raises:
            ValueError: it is not the next one.
        """
        if event.number != self.last + 1:
            raise ValueError(f"event {event.number} does not follow event {self.last}")
        self.last = event.number
        body = event.body
        self.last_order = max(self.last_order, body.get("order", 0))
        match event.kind:
            case Kind.CREATED:
                self._create(body)
            case Kind.BATCH:
                boards = tuple(tuple(tuple(group) for group in groups) for groups in body["boards"])
                start = self.scheduled
                self.batches.append(Batch(start, start + len(boards), boards))
                self._is_exhausted = not boards
            case Kind.DEALT:
                self.redeals[body["board"]] = body["redeal"]
            case Kind.BOARD:
                results = self.corrections.results(event)
                if results is not None:
                    self._results[body["board"]] = results
                    for bot, times in read_times(body).items():
                        self.times.setdefault(bot, Times()).update(times)
            case Kind.ALONE:
                self.alone.add(body["bot"])
            case Kind.WITHDRAWN:
                self.withdrawn.setdefault(body["entrant"], body["why"])
            case Kind.READMITTED:
                self.withdrawn.pop(body["entrant"], None)
                self._streaks[body["entrant"]] = 0
                self._is_exhausted = self.is_finished = False
            case Kind.SUBSTITUTED:
                self._substitute(body)
            case Kind.LENGTH:
                self.spec = self.spec.model_copy(update={"boards": body["boards"]})
                self._is_exhausted = self.is_finished = False
            case Kind.FINISHED:
                self.is_finished = True
            case Kind.VOIDED | Kind.REPLAYED | Kind.ADJUDICATED:
                self._is_exhausted = self.is_finished = False
            case Kind.RESUMED:
                if "bots" in body:
                    most = (body["bots"], body["cores"])
                    self.thinking = max(self.thinking or most, most, key=_load)
                for found, now in zip(self.builds, body["builds"], strict=True):
                    if now not in found:
                        found.append(now)
            case Kind.STATE:
                self.state, self.state_why = State(body["state"]), body["why"]
            case Kind.TABLES | Kind.REFUSED:
                pass
        self._advance()

    def _create(self, body: dict[str, Any]) -> None:
        self.spec = parse_spec(body["spec"])
        self.seed: int = body["seed"]
        self.bot_names: list[str] = [bot["name"] for bot in body["bots"]]
        self.builds: list[list[str]] = [[bot["build"]] for bot in body["bots"]]
        self.options: dict[str, str] = body["options"]
        self.ruleset: str = body["ruleset"]
        self.server_version: str = body["server"]
        self.rules_version: int = body["rules"]
        self.teams: tuple[int, ...] = tuple(body["teams"])
        numbers: list[tuple[int, ...]] = []
        taken = 0
        for entrant in self.spec.entrants:
            count = len(entrant.members) or 1
            numbers.append(tuple(range(taken, taken + count)))
            taken += count
        self.roster = Roster(self.teams, self.spec.form, tuple(numbers), taken)
        self.thinking = None
        self.substitutes: list[Substitute] = []
        self._rosters = [(0, self.roster)]
        self.rounds_cycle = formats.cycle(self.spec, self.roster.sides)
        self.batches: list[Batch] = []
        self.counted = 0
        self.alone: set[int] = set()
        self.redeals: dict[int, int] = {}
        self.withdrawn: dict[int, str] = {}
        self.values: dict[Pair, Values] = {}
        self.records: dict[Pair, tuple[int, int, int]] = {}
        self.tallies = [Tally() for _ in self.spec.entrants]
        self.matches = 0
        self.times: dict[int, Times] = {}
        self.sprt = _sprt(self.spec, self.roster)
        self.verdict: Verdict | None = None
        self._is_exhausted = False
        self._results: dict[int, list[TableResult]] = {}
        self._streaks: list[int] = [0] * len(self.spec.entrants)
        self._meetings: list[dict[Pair, Meeting]] = []
        self._given: Counter[Pair] = Counter()
        self._seated: dict[tuple[int, ...], tuple[Match, tuple[Pair, ...]]] = {}
        self._owner_of_bot = {bot: entrant for entrant, bots in enumerate(numbers) for bot in bots}

    def _substitute(self, body: dict[str, Any]) -> None:
        entrant = body["entrant"]
        found = Substitute(entrant, body["bot"], self.scheduled, body["why"])
        self.substitutes.append(found)
        number = len(self.bot_names)
        self.bot_names.append(self.substitute_name(len(self.substitutes) - 1))
        self.builds.append([body["build"]])
        self._owner_of_bot[number] = entrant
        self.roster = self.roster.substitute(entrant, number)
        self._rosters.append((found.start, self.roster))

    def substitute_name(self, number: int) -> str:
        """What the bot of `substitutes` *number* is called."""
        name = self.spec.entrants[self.substitutes[number].entrant].name
        return f"{name}/substitute {number + 1}"

    # What is to be played ----------------------------------------------------------------------

    @property
    def scheduled(self) -> int:
        """How many boards have been scheduled."""
        return self.batches[-1].end if self.batches else 0

    @property
    def is_due(self) -> bool:
        """Whether the next batch is to be scheduled before anything else counts."""
        if self.verdict is not None or self._is_exhausted or self.is_finished:
            return False
        lag = 1 if formats.needs_all(self.spec) else 2
        if len(self.batches) < lag:
            return True
        return self.counted >= self.batches[-lag].end

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        if self.verdict is not None:
            return True
        return self._is_exhausted and self.counted == self.scheduled

    def next_batch(self) -> list[Groups]:
        """The next batch; empty: there is none."""
        return formats.next_batch(
            self.spec, self.roster.sides, self.rounds_cycle, self.scheduled, self
        )

    @property
    def total(self) -> int | None:
        """Maximum number of boards; None: unknown."""
        return formats.total_boards(self.spec, self.rounds_cycle)

    @property
    def oversubscription(self) -> str:
        """A warning, if more bots have thought at once than cores were free for them."""
        if self.thinking is None or _load(self.thinking) <= 1:
            return ""
        bots, cores = self.thinking
        return f"up to {bots} bots thought at once on {max(0, cores)} free cores"

    @property
    def commitment(self) -> str:
        """SHA-256 of the root of the first board."""
        return board_of(self.seed, 0).commitment.hex()

    def groups(self, board: int) -> Groups:
        """Who meets on *board*, which is scheduled."""
        for batch in reversed(self.batches):
            if board >= batch.start:
                return batch.boards[board - batch.start]
        raise IndexError(board)

    def tables(self, board: int) -> list[Match]:
        """The matches of *board*, which is scheduled."""
        return self._roster_of(board).tables(board, self.groups(board))

    def _roster_of(self, board: int) -> Roster:
        """Who plays for whom on *board*."""
        return next(roster for start, roster in reversed(self._rosters) if board >= start)

    def entrant_of(self, bot: int) -> int | None:
        """The entrant that *bot* plays for; None for the house."""
        return self._owner_of_bot.get(bot)

    def bots_of(self, entrant: int) -> list[int]:
        """All bots that play, or have played, for *entrant*."""
        return [bot for bot, owner in self._owner_of_bot.items() if owner == entrant]

    def is_played(self, board: int) -> bool:
        """Whether *board* has results."""
        return board < self.counted or board in self._results

    def to_play(self, besides: Container[int] = ()) -> Iterator[int]:
        """Scheduled boards that have no results yet, in order, *besides* some."""
        if self.verdict is not None:
            return
        for board in range(self.counted, self.scheduled):
            if board not in self._results and board not in besides and self.tables(board):
                yield board

    def why_not_corrected(self, board: int) -> str:
        """Why *board* cannot be corrected; empty if it can."""
        if not 0 <= board < self.scheduled or not self.is_played(board):
            return f"board {board + 1} has no results to correct"
        later = [batch for batch in self.batches if batch.start > board and batch.boards]
        if self.spec.format is Format.KNOCKOUT and later:
            return f"board {board + 1} has decided the next round, so it can no longer be corrected"
        return ""

    @property
    def beyond(self) -> list[int]:
        """Boards that have results and do not count (yet)."""
        return sorted(self._results)

    # What a schedule may know ------------------------------------------------------------------

    @property
    def active(self) -> list[int]:
        """Entrants who take part."""
        return [one for one in range(len(self.spec.entrants)) if one not in self.withdrawn]

    @property
    def rounds(self) -> list[Round]:
        """The batches that have been played, of a format that pairs one by those before it."""
        return [
            Round(batch.boards[0] if batch.boards else (), meetings)
            for batch, meetings in zip(self.batches, self._meetings, strict=False)
            if batch.end <= self.counted and batch.boards
        ]

    def met(self, one: int, other: int) -> int:
        """How many boards two entrants have been given."""
        return self._given[pair_of(one, other)]

    def doubt(self, one: int, other: int) -> float:
        """Probability that the order of two entrants is not what their boards say: the normal
        tail of their mean margin; 0.5 before they have met on two boards."""
        found = self.values.get(pair_of(one, other))
        if found is None or len(found.margins) < 2:
            return 0.5
        values = found.margins
        mean = math.fsum(values) / len(values)
        variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
        if not variance:
            return 0.5 if not mean else 0.0
        return 0.5 * math.erfc(abs(mean) / math.sqrt(2 * variance / len(values)))

    # Counting ----------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Count the boards that follow those counted without a gap."""
        while self.counted < self.scheduled and self.verdict is None and not self.is_due:
            groups = self.groups(self.counted)
            tables = self._results.pop(self.counted, None)
            if tables is not None:
                self._count(self.counted, groups, tables)
            elif self.roster.has_tables(groups):
                return
            self.counted += 1
            self._decide()

    def _count(self, board: int, groups: Groups, results: Sequence[TableResult]) -> None:
        """Count the *results* of the tables of *board*."""
        matches = self.tables(board)
        sums: dict[Pair, list[float]] = {}
        faulty: set[int] = set()
        seen: set[int] = set()
        for one, other, share, ahead in self._comparisons(groups, matches, results):
            found = sums.get((one, other))
            if found is None:
                sums[one, other] = [1, share, ahead]
            else:
                found[0] += 1
                found[1] += share
                found[2] += ahead
        for result in results:
            self.matches += result.outcome not in _UNPLAYED
            for bot in result.at_fault:
                entrant = self._owner_of_bot.get(bot)
                if entrant is not None:
                    faulty.add(entrant)
                    self.tallies[entrant].faults[result.outcome] += 1
        # Only a format that pairs a round by the round before needs its results.
        meetings = self._meetings_of(board) if formats.needs_all(self.spec) else None
        for pair, (count, share, ahead) in sums.items():
            values = self.values.get(pair)
            if values is None:
                values = self.values[pair] = Values()
            values.boards.append(board)
            values.wins.append(share / count)
            values.margins.append(ahead / count)
            if meetings is not None:
                before = meetings.get(pair, Meeting())
                meetings[pair] = Meeting(
                    before.boards + 1, before.wins + share / count, before.margin + ahead / count
                )
        is_void = any(result.outcome is Outcome.VOID for result in results)
        for group in () if is_void else groups:
            seen.update(group)
            for pair in combinations(sorted(group), 2):
                self._given[pair] += 1
        for entrant in seen:
            self.tallies[entrant].boards += 1
            self._streaks[entrant] = self._streaks[entrant] + 1 if entrant in faulty else 0
            if self._streaks[entrant] == self.spec.quarantine:
                why = f"quarantined: {self.spec.quarantine} boards in a row with a fault"
                self.withdrawn.setdefault(entrant, why)

    def _meetings_of(self, board: int) -> dict[Pair, Meeting]:
        """Results of the meetings in the batch of *board*, the next board to be counted."""
        while len(self._meetings) < len(self.batches):
            self._meetings.append({})
        place = len(self.batches) - 1
        while board < self.batches[place].start:
            place -= 1
        return self._meetings[place]

    def _comparisons(
        self, groups: Groups, matches: Sequence[Match], results: Sequence[TableResult]
    ) -> Iterable[tuple[int, int, float, float]]:
        """What each table says of two entrants, the lower number first: its share of a win, and
        what it is ahead. Tallies are kept on the way."""
        if self.spec.form is Form.FIELD:
            yield from self._field_comparisons(groups[0], matches, results)
            return
        owner = self._owner_of_bot
        for match, result in zip(matches, results, strict=True):
            at_fault = {owner[bot] for bot in result.at_fault}
            seats, pairs = self._seats(match)
            for one, other in pairs:
                if result.scores is None and not at_fault:
                    continue  # a fault of the server
                ahead = 0.0 if result.scores is None else margin(seats, result.scores, one, other)
                share = self._compare(one, other, at_fault, ahead)
                if result.scores is not None and share is not None:
                    yield one, other, share, ahead

    def _seats(self, match: Match) -> tuple[Match, tuple[Pair, ...]]:
        """A match with entrants in the seats of *match*, and each two of them."""
        found = self._seated.get(match.players)
        if found is None:  # the same bots sit down on many boards
            players = tuple(self._owner_of_bot[bot] for bot in match.players)
            pairs = tuple(combinations(sorted(set(players)), 2))
            found = self._seated[match.players] = match._replace(players=players), pairs
        return found

    def _field_comparisons(
        self, group: Sequence[int], matches: Sequence[Match], results: Sequence[TableResult]
    ) -> Iterable[tuple[int, int, float, float]]:
        """The same for a field: each table has one entrant, and its own score is compared."""
        scores: dict[int, float] = {}
        at_fault: set[int] = set()
        for entrant, match, result in zip(group, matches, results, strict=True):
            if result.scores is None:
                continue
            seat = match.board % len(match.teams)
            scores[entrant] = result.scores[seat]
            if match.players[seat] in result.at_fault:
                at_fault.add(entrant)
        for one, other in combinations(sorted(scores), 2):
            ahead = scores[one] - scores[other]
            share = self._compare(one, other, at_fault & {one, other}, ahead)
            if share is not None:
                yield one, other, share, ahead

    def _compare(self, one: int, other: int, at_fault: set[int], ahead: float) -> float | None:
        """The share of a win of *one*, kept in the tallies; None if a third entrant spoiled it, or
        both did."""
        first, second = self.tallies[one], self.tallies[other]
        if one in at_fault and other in at_fault:
            for tally in (first, second):
                tally.matches += 1
                tally.losses += 1
            return None
        if at_fault and not at_fault & {one, other}:
            return None
        share = 0.5 + 0.5 * ((ahead > 0) - (ahead < 0))
        if at_fault:
            share = float(other in at_fault)
        won, drawn, lost = self.records.get((one, other), (0, 0, 0))
        self.records[one, other] = (
            won + (share == 1),
            drawn + (share == 0.5),
            lost + (share == 0),
        )
        for tally, own in ((first, share), (second, 1 - share)):
            tally.matches += 1
            tally.wins += own == 1
            tally.draws += own == 0.5
            tally.losses += own == 0
        return share

    def _decide(self) -> None:
        """End the contest if its last board decides the sequential test."""
        values = self.values.get((0, 1))
        if self.sprt is None or values is None or values.boards[-1] != self.counted - 1:
            return
        of_wins = self.spec.primary is Primary.WIN_RATE
        state = self.sprt.add(values.wins[-1] - 0.5 if of_wins else values.margins[-1])
        if state.decision is not Decision.RUNNING:
            low, high = self.spec.sprt.elo0, self.spec.sprt.elo1
            text = (
                f"{state.decision} after {state.boards} boards: LLR {state.llr:+.2f} "
                f"({state.lower:+.2f} to {state.upper:+.2f}), H0 {low:+g} and H1 {high:+g} "
                "normalised Elo"
            )
            self.verdict = Verdict(text, self.counted)


def _load(thinking: tuple[int, int]) -> float:
    """Bots for each core; see `Contest.thinking`."""
    return thinking[0] / max(1, thinking[1])


def _sprt(spec: Spec, roster: Roster) -> Sprt | None:
    """The sequential test of a contest that is one."""
    if spec.format is not Format.SPRT:
        return None
    asked = spec.sprt
    hypotheses = Hypotheses(asked.elo0, asked.elo1, asked.alpha, asked.beta, spec.boards)
    return Sprt(hypotheses, len(roster.tables(0, ((0, 1),))))
