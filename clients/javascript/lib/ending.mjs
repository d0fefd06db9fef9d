// Whether a match can have ended for the reason that its result gives, by the facts of its log.
//
// The log shows when the rules end a match, which timeouts make a seat forfeit, and who was missing
// before the start. It shows no concession, absence, refused move or decision of an operator.

import { must } from "./cards.mjs";
import { END_REASONS, GAMES } from "./schema.mjs";

const UNPROVEN = "; only the server says so";
const RESTARTS_MAX = 2; // of an opening; then a server ends the table
const FORFEIT_ON_ABSENCE = 3;
const [STRIKE, FORFEIT] = [2, 3]; // when time is up
const ABORTED_BY = [1, 2];
const PLAYED = ["FINISHED", "FORFEIT", "CONCEDED", "ADJUDICATED"];
const OF_A_SEAT = ["FORFEIT", "CONCEDED", "NO_SHOW"];
const WITHOUT_DETAIL = ["FINISHED", "CONCEDED", "HALTED"];

const [OUT_OF_TIME, OUT_OF_STRIKES, AWAY] = ["out of time", "out of strikes", "away for too long"];

const lasts = (duration) => Boolean(duration?.seconds || duration?.nanos);
export const isTimed = (clock = {}) => [clock.base, clock.increment, clock.per_move].some(lasts);

// What follows the reason in a sentence: nothing where the log shows it. `log` is of the verifier:
// { record, lines, isBegun, source, restarts }.
export function checkEnding(log, isOver) {
  const { result, table } = log.record;
  const { seat_at_fault: seat } = result;
  const reason = END_REASONS[result.reason];
  must(reason, `the reason of the end is ${result.reason}, which is not a known reason`);
  const late = forfeiter(log, isOver);
  checkForm(log, reason);
  if (reason === "HALTED") return UNPROVEN;
  if (late !== undefined) {
    // When a deal has ended, strikes for refused moves may make a seat before it forfeit.
    const isOpen = Boolean(table.spec.clock?.max_strikes) && log.lines.at(-2).event.arm !== "seat_timed_out";
    const isEarlier = isOpen && seat < late.seat;
    const isFit = reason === "FORFEIT" && (seat === late.seat || isEarlier);
    must(isFit, `seat ${late.seat} is ${late.why} by the log, but the record says ${reason}`);
    expectDetail(result, seat === late.seat ? late.why : OUT_OF_STRIKES);
    return seat === late.seat ? "" : UNPROVEN;
  }
  const goesOn = isOver ? "is over" : "continues";
  must(isOver === (reason === "FINISHED"), `the record says ${reason}, but by the rules the match ${goesOn}`);
  if (reason === "FORFEIT") {
    const whys = table.spec.absence === FORFEIT_ON_ABSENCE ? [AWAY] : [];
    if (table.spec.clock?.max_strikes) whys.push(OUT_OF_STRIKES);
    must(whys.length, `seat ${seat} forfeits without a timeout, but the table makes nobody forfeit for absence or strikes`);
    expectDetail(result, ...whys);
  }
  if (reason === "NO_SHOW") checkNoShow(log);
  return reason === "FINISHED" ? "" : UNPROVEN;
}

// A forfeit is told with one of `whys`, which the log allows.
function expectDetail({ detail }, ...whys) {
  must(whys.includes(detail), `the detail of the forfeit must be ${whys.map((why) => `'${why}'`).join(" or ")}`);
}

// Which facts come with a reason.
function checkForm({ record: { result, table }, isBegun }, reason) {
  const { seat_at_fault: seat, detail, aborted_by: by } = result;
  must(isBegun || !PLAYED.includes(reason), `the record says ${reason}, but the match never began`);
  must(seat === undefined || (OF_A_SEAT.includes(reason) && seat < table.seats.length), `${reason} names seat ${seat}`);
  must(seat !== undefined || !["FORFEIT", "CONCEDED"].includes(reason), `${reason} by nobody`);
  must(!detail || !WITHOUT_DETAIL.includes(reason), `${reason} has a detail; no server gives one`);
  must(!by || (reason === "ABORTED" && ABORTED_BY.includes(by)), `aborted_by is ${by}, but the match ended as ${reason}`);
}

// The seat that forfeits by the timeouts of the log, and why, if one does. Timeouts of sealed windows count
// when the deal has ended. Strikes for refused moves are in no row, so more may be shown.
function forfeiter({ record: { table }, lines }, isOver) {
  const { max_strikes: most, on_timeout: policy, window_time: window } = table.spec.clock ?? {};
  const timed = isTimed(table.spec.clock);
  const accounts = table.seats.map(() => ({ strikes: 0, hidden: 0, isOut: false, isOutHidden: false }));
  const open = () => {
    for (const one of accounts) {
      one.strikes += one.hidden;
      one.isOut ||= one.isOutHidden;
      Object.assign(one, { hidden: 0, isOutHidden: false });
    }
  };
  const forfeit = () => {
    const seat = accounts.findIndex((one) => one.isOut || (most && one.strikes >= most));
    return seat < 0 ? undefined : { seat, why: accounts[seat].isOut ? OUT_OF_TIME : OUT_OF_STRIKES };
  };
  let late;
  let isScored = false;
  for (const { row, event } of lines) {
    const where = row.sequence ? `event ${row.sequence}` : "a sealed answer";
    const input = row.input?.[row.input.arm];
    const kind = row.input?.arm;
    const lost = forfeit();
    must(lost === undefined || !["move", "answer"].includes(kind), `${where}: play goes on, but seat ${lost?.seat} is ${lost?.why}`);
    const played = kind === "move" && input.timed_out ? input.seat : undefined;
    const isExcused = late !== undefined && (lost !== undefined || event.arm === "table_halted");
    must(played === late || isExcused, `${where}: a timeout and the move that is played for it differ`);
    late = undefined;
    if (kind === "chance" && isScored) {
      open();
      isScored = false;
    } else if (kind === "answer" && input.timed_out && !lasts(window)) {
      must(timed, `${where} is a timeout, but the table has no clock`);
      if (policy === STRIKE) accounts[input.seat].hidden += 1;
      else if (policy === FORFEIT) accounts[input.seat].isOutHidden = true;
    }
    if (event.arm === "seat_timed_out") {
      const { seat, strikes } = event.seat_timed_out;
      must(timed && seat < accounts.length, `${where} is a timeout, but the table has no clock`);
      const least = accounts[seat].strikes + (policy === STRIKE);
      must(strikes >= least, `${where} shows ${strikes} strikes; the log has ${least}`);
      Object.assign(accounts[seat], { strikes, isOut: policy === FORFEIT });
      late = seat;
    } else if (event.arm === "game") {
      const part = event.game[GAMES[table.spec.game]];
      isScored ||= part?.arm === "deal_scored";
    }
  }
  if (isOver) open();
  return forfeit();
}

// The seat of a no-show is the first one that was missing, and the table waits for nobody for ever.
function checkNoShow({ record: { result, table }, lines, isBegun, source, restarts }) {
  must(!isBegun, "the record says NO_SHOW, but the match began");
  must(lasts(table.spec.clock?.start_timeout) || restarts >= RESTARTS_MAX, "the record says NO_SHOW, but the table has no start_timeout");
  const sitting = new Set();
  let awaited = new Set();
  for (const { event } of lines) {
    if (event.arm === "seat_joined") sitting.add(event.seat_joined.seat.seat);
    else if (event.arm === "seat_left") sitting.delete(event.seat_left.seat);
    else if (event.arm === "nonce_opened") awaited.delete(event.nonce_opened.seat);
    else if (event.arm === "seats_filled") {
      const told = event.seats_filled.seats.filter(({ nonce_hash }) => nonce_hash?.length);
      awaited = new Set(source === "match" ? told.map(({ seat }) => seat) : []);
    } else if (event.arm === "seat_no_show") {
      sitting.delete(event.seat_no_show.seat);
      awaited = new Set();
    }
  }
  const missing = table.seats.map(({ seat }) => seat).find((seat) => !sitting.has(seat) || awaited.has(seat));
  must(result.seat_at_fault === missing, `NO_SHOW names seat ${result.seat_at_fault}; by the log the first one missing is ${missing}`);
}

// How a match ends that the team of `seat` gave away: scores stay as they stand, and that team is last.
export function lostBy(seat, teams, scores) {
  const lost = teams[seat];
  const others = [...new Map(teams.map((team, at) => [team, scores[at]]))].filter(([team]) => team !== lost);
  return teams.map((team, at) => {
    const better = others.filter(([, score]) => team === lost || score > scores[at]).length;
    return { seat: at, score: scores[at], place: 1 + better };
  });
}

// An outcome that an operator decided: partners share score and place, and a place is one more than
// the number of teams with a better one.
export function checkOutcome(seats, teams) {
  must(seats.length === teams.length && seats.every(({ seat }, at) => seat === at), "no outcome of this table");
  const byTeam = new Map(seats.map((one, at) => [teams[at], one]));
  seats.forEach(({ score, place }, at) => {
    const own = byTeam.get(teams[at]);
    must(own.score === score && own.place === place, "partners have the same score and place");
    const better = [...byTeam.values()].filter((other) => other.place < place).length;
    must(place === 1 + better, "places count from 1, and teams may share one");
  });
}
