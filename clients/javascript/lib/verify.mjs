// The checks of a record: hashes, secrets, cards, moves, scores, result.

import { must, Wrong } from "./cards.mjs";
import * as deals from "./deals.mjs";
import { checkEnding, checkOutcome, lostBy, isTimed } from "./ending.mjs";
import { Pokex } from "./pokex.mjs";
import { END_REASONS, GAMES, MatchRecord, TableEvent } from "./schema.mjs";
import { Tongits } from "./tongits.mjs";
import { Tractor } from "./tractor.mjs";
import { Budget, decode, WireError, without } from "./wire.mjs";

const REFEREES = { tractor: Tractor, tongits: Tongits, pokex: Pokex };
const FORMAT = 3; // of records
const HASH_FIELD = 34;
const COMMITMENT_FIELD = 8;
const BYTES_MAX = 64 << 20; // more than a hundred times what records have
const RESTARTS_MAX = 2; // of an opening; then a server ends the table
const OPEN = 1; // the status of a new table
const CHOICES = [1, 2, 3]; // of absence, legal_mode, visibility, on_timeout and access
const START_MODES = [1, 2];
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const equal = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
const isEmpty = (bytes) => bytes === undefined || bytes.length === 0;

// Whether two decoded or made-up messages are the same; a field that is not set is undefined.
function same(a, b) {
  if (a === b || (typeof a !== "object" && typeof b !== "object" && a == b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Array.isArray(a) === Array.isArray(b) && [...keys].every((key) => same(a[key], b[key]));
}

// What a check found that holds, and that a reader of the record should weigh.
class Caution {
  constructor(detail) {
    this.detail = detail;
  }
}

function millis({ seconds = 0, nanos = 0 } = {}) {
  must(nanos % 1_000_000 === 0, "a time that is not in whole milliseconds");
  return seconds * 1000 + nanos / 1_000_000;
}

class Verifier {
  constructor(bytes) {
    this.bytes = bytes;
    this.budget = new Budget();
    this.checks = [];
  }

  check(name, body) {
    let holds = true;
    let detail;
    try {
      detail = body();
    } catch (error) {
      holds = false;
      const isOurs = error instanceof Wrong || error instanceof WireError;
      // What this code trips over is not true either.
      detail = isOurs ? error.message : `not to be checked: ${error.message}`;
    }
    const warning = detail instanceof Caution;
    this.checks.push({ name, holds, detail: warning ? detail.detail : detail, warning });
    return holds;
  }

  run() {
    const isRead = this.check("file", () => this.file()) && this.check("chain", () => this.chain());
    if (isRead && this.check("table", () => this.table())) {
      this.check("commitment", () => this.commitment());
      this.check("nonces", () => this.nonces());
      this.check("restarts", () => this.restarts());
      this.check("times", () => this.times());
      if (this.check("root", () => this.root())) {
        const isPlayed = this.check("moves", () => this.moves());
        this.check("decks", () => this.decks());
        if (isPlayed) this.check("result", () => this.result());
      }
    }
    return { verified: this.checks.every((check) => check.holds), checks: this.checks };
  }

  // Bytes -----------------------------------------------------------------------------------------

  file() {
    const { bytes } = this;
    must(bytes.length <= BYTES_MAX, `no record has more than ${BYTES_MAX >> 20} MiB`);
    const record = decode(MatchRecord, bytes, 0, bytes.length, this.budget);
    must(record.format === FORMAT, `a record of format ${record.format}; this program reads format ${FORMAT}`);
    const content = bytes.subarray(0, bytes.length - HASH_FIELD);
    must(record.hash.length === 32, "the record does not end with its hash");
    must(equal(deals.sha256(content), record.hash), "the hash at the end is not that of the bytes before it");
    must(record.table !== undefined && record.reveal !== undefined && record.result !== undefined, "a part is missing");
    this.record = record;
    return `${bytes.length} bytes in their one form, with the hash ${hex(record.hash)} at the end`;
  }

  chain() {
    const { table, rows } = this.record;
    let hash = deals.sha256("croupier/record/v1", table.raw);
    let last = 0;
    this.lines = rows.map((row, at) => {
      must(row.hash.length === 32, `row ${at} has no hash`);
      hash = deals.sha256(hash, row.raw.subarray(0, row.raw.length - HASH_FIELD));
      must(equal(hash, row.hash), `row ${at} or one before it was changed`);
      const event = row.sequence ? this.#event(row.public_part) : { arm: "" };
      if (row.sequence) {
        must(row.sequence === last + 1 && event.sequence === row.sequence, "events are not numbered 1, 2, 3 ...");
        must(event.private_part === undefined, "a private part in a public one");
        must(!event.ignorable, `event ${row.sequence} is marked ignorable; no server marks one so`);
        last = row.sequence;
      } else must(row.input?.arm === "answer" && isEmpty(row.public_part), `row ${at} is no row`);
      return { row, event, private: this.#privates(row), at };
    });
    return `${rows.length} rows, events 1 to ${last}`;
  }

  #event(bytes) {
    return decode(TableEvent, bytes, 0, bytes.length, this.budget);
  }

  #privates(row) {
    const parts = new Map();
    let before = -1;
    for (const { seat, part } of row.private_parts) {
      must(seat > before, "private parts are not in the order of the seats");
      before = seat;
      const event = this.#event(part);
      must(event.private_part !== undefined && event.arm === "" && !event.sequence, "a private part with more in it");
      parts.set(seat, event.private_part);
    }
    return parts;
  }

  // Secrets ---------------------------------------------------------------------------------------

  table() {
    const { table, options } = this.record;
    this.game = GAMES[table.spec.game];
    must(this.game !== undefined, `a game that is unknown here: ${table.spec.game}`);
    const first = this.lines[0]?.event;
    must(first?.arm === "table_created", "the log does not begin with the table");
    must(equal(first.table_created.table.raw, table.raw), "the table of the first event is another one");
    const isInOrder = options.every(({ name }, at) => at === 0 || options[at - 1].name < name);
    must(isInOrder, "the options are not in the order of their names");
    const lines = options.map(({ name, value }) => `${name}=${value}\n`).join("");
    must(equal(deals.sha256(lines), table.ruleset_hash), "the options are not those of the ruleset's hash");
    this.referee = new REFEREES[this.game](Object.fromEntries(options.map(({ name, value }) => [name, value])));
    must(this.referee.players === table.seats.length, "the options ask for another number of seats");
    must(table.seats.every((seat, at) => seat.seat === at && seat.team === this.referee.team(at)), "seats or teams");
    must(table.status === OPEN && !table.sequence && !table.result, "the table is not as it was created");
    must(table.seats.every((seat) => isEmpty(seat.nonce_hash)), "a nonce was promised before anybody sat");
    must(isEmpty(table.spec.deal_source?.board?.root), "the root of a board is in its table");
    Object.values(table.spec.clock ?? {}).filter((part) => part?.nanos).forEach(millis);
    must(table.table_epoch === 1, `the table must begin in epoch 1, not ${table.table_epoch}`);
    this.#checkChoices(table);
    this.#checkSeats(table.seats);
    this.source = table.spec.deal_source?.arm;
    must(this.source, "the table names no source of its cards");
    this.isBegun = this.events("match_started").length > 0;
    return `${this.game}, ruleset ${table.spec.ruleset}, ${table.seats.length} seats; the options have the hash ${hex(table.ruleset_hash)}`;
  }

  // A server leaves no choice open.
  #checkChoices({ spec, seats }) {
    const { absence, legal_mode, visibility, clock, start_mode } = spec;
    must(START_MODES.includes(start_mode), `start_mode of the table is ${start_mode ?? 0}; it must be one of 1, 2`);
    const access = seats.map((seat) => [`seats[${seat.seat}].access`, seat.access]);
    const choices = Object.entries({ absence, legal_mode, visibility, "clock.on_timeout": clock?.on_timeout });
    for (const [name, value] of [...choices, ...access]) {
      must(CHOICES.includes(value), `${name} of the table is ${value ?? 0}; it must be one of ${CHOICES.join(", ")}`);
    }
  }

  // Whoever is told to sit when all sit is who sat down last.
  #checkSeats(seats) {
    const now = seats.map((seat) => ({ ...seat }));
    const sitting = new Set();
    const known = (told) => ({ ...told, nonce_hash: undefined });
    for (const { event } of this.lines) {
      if (event.arm === "seat_joined") {
        const { seat } = event.seat_joined;
        const { access, team } = seats[seat.seat] ?? {};
        must(seat.player && seat.access === access && seat.team === team, `event ${event.sequence}: no such seat`);
        must(seat.seat_epoch === now[seat.seat].seat_epoch + 1, `event ${event.sequence}: the epoch of the seat does not rise by one`);
        now[seat.seat] = seat;
        sitting.add(seat.seat);
      } else if (event.arm === "seat_left" || event.arm === "seat_no_show") {
        const { seat } = event[event.arm];
        must(sitting.delete(seat), `event ${event.sequence}: nobody sits in seat ${seat}`);
      } else if (event.arm === "seats_filled") {
        const told = event.seats_filled.seats;
        must(same(told.map(known), now.map(known)), `event ${event.sequence}: others sit there`);
      }
    }
  }

  events(arm) {
    return this.lines.filter((line) => line.event.arm === arm);
  }

  commitment() {
    const { table, reveal } = this.record;
    const isAlien = this.source !== "match" && !(isEmpty(reveal.secret) && isEmpty(table.commitment));
    must(!isAlien, "a secret of the table has no part in these cards");
    if (this.source === "fixed") return "FIXED: none was made; whoever chose the seed knew the cards";
    if (this.source === "board") {
      if (!this.isBegun) return "BOARD: the match never began, no root is revealed";
      const { commitment } = table.spec.deal_source.board;
      must(equal(deals.sha256(reveal.root), commitment), "the root is not the one that the board was committed to");
      return `BOARD: the root has the hash ${hex(commitment)}`;
    }
    const all = this.#commitments();
    must(this.#commitsTo(all.at(-1), reveal.secret), "the secret is not the one that the table was committed to");
    return `MATCH: the secret has the commitment ${all.at(-1)}, which pins the table too; ${all.length - 1} before it replaced for nonces withheld`;
  }

  // The commitments to the table's secrets, in order; the last one is that of the secret in use.
  #commitments() {
    const named = this.events("seat_no_show").map((line) => hex(line.event.seat_no_show.commitment));
    return [...new Set([hex(this.record.table.commitment), ...named])];
  }

  #commitsTo(commitment, secret) {
    if (secret.length !== 32) return false;
    const terms = without(this.record.table.raw, COMMITMENT_FIELD);
    return hex(deals.commitment(terms, secret)) === commitment;
  }

  nonces() {
    const { table, reveal } = this.record;
    if (this.source !== "match") {
      must(!reveal.nonces.length && !this.events("nonce_opened").length, "nonces have no part in these cards");
      return "none have a part in these cards";
    }
    must(reveal.nonces.length === table.seats.length, `${reveal.nonces.length} nonces`);
    let promised = null; // by seat, since all sat
    let [opened, freed] = [new Set(), new Set()];
    for (const { event } of this.lines) {
      if (event.arm === "seats_filled") {
        promised = event.seats_filled.seats.map((seat) => seat.nonce_hash);
        [opened, freed] = [new Set(), new Set()];
      } else if (event.arm === "nonce_opened" || event.arm === "seat_no_show") {
        const { seat } = event[event.arm];
        const isWanted = !isEmpty(promised?.[seat]) && !opened.has(seat) && !freed.has(seat);
        must(isWanted, `event ${event.sequence}: no nonce of seat ${seat} is waited for`);
        (event.arm === "nonce_opened" ? opened : freed).add(seat);
      }
    }
    if (promised === null || freed.size) {
      must(reveal.nonces.every(isEmpty) && !this.isBegun, "nonces were revealed, or the match began, before all sat");
      return "the seats were not all taken in the end";
    }
    promised.forEach((nonce_hash, seat) => {
      const nonce = reveal.nonces[seat];
      must(!isEmpty(nonce) === opened.has(seat), `the log and the reveal differ on the nonce of seat ${seat}`);
      must(isEmpty(nonce) || equal(deals.sha256(nonce), nonce_hash), `the nonce of seat ${seat} does not match its hash`);
      must(isEmpty(nonce_hash) || !isEmpty(nonce) || !this.isBegun, `the nonce of seat ${seat} was never opened`);
    });
    return `${opened.size} of ${table.seats.length} seats gave one, each with the hash it had given`;
  }

  // The openings in which a promised nonce did not come: restarted, or the match ended with them.
  #vainOpenings() {
    const found = [];
    let [promised, opened, freed] = [new Map(), new Set(), null];
    for (const { event } of this.lines) {
      if (event.arm === "seats_filled") {
        const told = event.seats_filled.seats.filter((seat) => !isEmpty(seat.nonce_hash));
        promised = new Map(told.map((seat) => [seat.seat, seat.nonce_hash]));
        [opened, freed] = [new Set(), null];
      } else if (event.arm === "nonce_opened") opened.add(event.nonce_opened.seat);
      else if (event.arm === "seat_no_show") {
        if (freed === null) {
          freed = { promised, opened, withheld: [], named: new Set(), event: event.sequence, isLast: false };
          found.push(freed);
        }
        freed.withheld.push(event.seat_no_show.seat);
        freed.named.add(hex(event.seat_no_show.commitment));
      } else if (["match_ended", "table_halted"].includes(event.arm) && !this.isBegun) {
        const withheld = [...promised.keys()].filter((seat) => !opened.has(seat));
        if (withheld.length && freed === null && this.source === "match") {
          found.push({ promised, opened, withheld, event: event.sequence, isLast: true });
        }
      }
    }
    return found;
  }

  // Openings that a withheld nonce ended, what was abandoned, and who could foresee it.
  restarts() {
    const openings = this.#vainOpenings();
    const restarts = openings.filter((opening) => !opening.isLast);
    const named = restarts.map((opening) => [...opening.named]);
    const wanted = this.#commitments().slice(1).map((one) => [one]);
    must(same(named, wanted), "seats that were freed together do not name one new commitment");
    this.#checkAbandoned(restarts);
    if (!openings.length) return "no nonce was withheld";
    const told = openings.map(({ event, isLast, opened, withheld }) => {
      const seats = withheld.map((seat) => `seat ${seat}`).join(" and ");
      return (
        `OPENING ${isLast ? "ENDED" : "RESTARTED"} (event ${event}): the server says that ${seats} withheld the nonce ` +
        `after ${opened.size} others had opened theirs; ${seats} and the operator together could have known every card ` +
        "of the match that was given up, and the operator alone could if it received the nonce and hid it"
      );
    });
    return new Caution(told.join(". "));
  }

  #checkAbandoned(restarts) {
    const { table, reveal } = this.record;
    const { abandoned } = reveal;
    must(abandoned.length === restarts.length, `${abandoned.length} abandoned secrets for ${restarts.length} restarts`);
    must(restarts.length <= RESTARTS_MAX, `${restarts.length} restarts; a server allows ${RESTARTS_MAX}`);
    const commitments = this.#commitments();
    restarts.forEach(({ promised, opened }, at) => {
      const { secret, nonces } = abandoned[at];
      must(this.#commitsTo(commitments[at], secret), `abandoned secret ${at + 1} does not match its commitment`);
      must(nonces.length === table.seats.length, `${nonces.length} nonces before restart ${at + 1}; one for each seat needed`);
      nonces.forEach((nonce, seat) => {
        const where = `of seat ${seat} before restart ${at + 1}`;
        must(!isEmpty(nonce) === opened.has(seat), `the log and the reveal differ on the nonce ${where}`);
        must(isEmpty(nonce) || equal(deals.sha256(nonce), promised.get(seat) ?? ""), `the nonce ${where} does not match its hash`);
      });
    });
  }

  // Whether the times of the log fit each other; what a clock that was set back explains is a caution.
  times() {
    const { table } = this.record;
    const created = millis(table.create_time);
    const absences = new Map();
    const cautions = [];
    const unasked = [];
    let known = 0; // answers of which it is told when they were asked for
    let [last, turn, answers] = [created, created, 0];
    for (const { row, event } of this.lines) {
      const where = row.sequence ? `event ${row.sequence}` : "a sealed answer";
      const isAnswer = ["move", "answer"].includes(row.input?.arm);
      const answer = isAnswer ? row.input[row.input.arm] : undefined;
      const now = millis(row.sequence ? event.time : answer.answered_time);
      must(event.arm !== "table_created" || now === created, "create_time of the table differs from the time of its first event");
      if (now < last) cautions.push(`${where} comes ${last - now} ms before what it follows`);
      if (answer !== undefined) {
        answers += 1;
        if (answer.asked_time !== undefined) known += 1;
        else if (!answer.timed_out) unasked.push(where);
        must(answer.charged === undefined || isTimed(table.spec.clock), `${where} was charged time, but the table has no clock`);
        const asked = answer.asked_time === undefined ? undefined : millis(answer.asked_time);
        const used = millis(answer.charged) + millis(answer.absent);
        absences.set(answer.seat, (absences.get(answer.seat) ?? 0) + millis(answer.absent));
        must(millis(answer.answered_time) === now, `${where} and the answer that caused it have different times`);
        must(asked === undefined || asked <= now, `${where} was answered before it was asked`);
        if (asked < turn) cautions.push(`${where} was asked ${turn - asked} ms before its turn came`);
        else if (used > now - turn) cautions.push(`${where} was charged ${used} ms for ${now - turn} ms`);
      }
      if (["match_started", "game"].includes(event.arm)) turn = now;
      last = now;
    }
    const most = millis(table.spec.clock?.disconnect_grace);
    for (const [seat, absent] of absences) {
      must(absent <= most, `seat ${seat} was forgiven ${absent} ms of absence; its clock allows ${most} ms`);
    }
    const told = [];
    if (cautions.length) {
      told.push(
        `TIME GOES BACK: ${cautions[0]}, and ${cautions.length - 1} more like it; either the server's clock was set back ` +
          "while it was down, or times were changed",
      );
    }
    if (known && unasked.length) {
      told.push(
        `ASKED_TIME IS MISSING: ${unasked[0]} and ${unasked.length - 1} more answer a question without the time at which ` +
          "it was sent; either the server restarted before it could send the question again, or the time was deleted",
      );
    }
    if (told.length) return new Caution(told.join(". "));
    return `events never go back in time; ${answers} answers were charged no more than they took`;
  }

  root() {
    const { table, reveal } = this.record;
    must(this.source === "fixed" || !reveal.decks.length, "decks of the host have no part in these cards");
    if (!this.isBegun) {
      must(isEmpty(reveal.root), "a root is revealed of a match that never began");
      must(!this.lines.some((line) => line.row.input?.arm === "chance"), "cards were dealt before the start");
      return "the match never began";
    }
    must(reveal.root.length === 32, "the root has not 32 bytes");
    if (this.source === "match") {
      const root = deals.matchRoot(reveal.secret, table.table_id, reveal.nonces);
      must(equal(root, reveal.root), "the root does not follow from secret, table and nonces");
      return "it follows from secret, table and nonces";
    }
    if (this.source === "board") return "that of the board";
    must(reveal.seed !== undefined, "no seed is revealed");
    must(equal(deals.fixedRoot(reveal.seed), reveal.root), "the root does not follow from the seed");
    const chosen = `; THE HOST CHOSE the decks of deals 1 to ${reveal.decks.length}`;
    return `it follows from the seed ${reveal.seed}${reveal.decks.length ? chosen : ""}`;
  }

  // The match -------------------------------------------------------------------------------------

  moves() {
    this.counts = { decks: 0, lots: 0, moves: 0, answers: 0, deals: 0 };
    this.expected = [];
    for (const line of this.lines) {
      const where = line.row.sequence ? `event ${line.row.sequence}` : "a sealed answer";
      try {
        if (line.row.input !== undefined) this.#put(line);
        if (line.event.arm === "game") this.#compare(line);
        else if (line.event.arm === "table_halted") this.expected = [];
      } catch (error) {
        throw new Wrong(`${where}: ${error.message}`);
      }
    }
    must(this.expected.length === 0, "the log stops in the middle of what an input leads to");
    const { moves, answers, deals: scored } = this.counts;
    return `${moves} moves and ${answers} sealed answers; all events follow from them, the scores of ${scored} deals among them`;
  }

  #put({ row }) {
    const { referee, counts } = this;
    must(this.expected.length === 0, "it comes before what the last input leads to");
    const input = row.input[row.input.arm];
    switch (row.input.arm) {
      case "chance": {
        const wanted = referee.wanted();
        must(wanted !== null && this.isBegun, "no chance is waited for");
        this.#checkChance(wanted, input.outcome);
        this.expected = referee.chance(input.outcome, wanted);
        break;
      }
      case "move":
        counts.moves += 1;
        this.expected = referee.move(input.seat, this.#moveOf(input));
        break;
      case "answer":
        counts.answers += 1;
        referee.answer(input.seat, this.#moveOf(input));
        break;
      default:
        this.expected = referee.closeWindow();
    }
  }

  #moveOf(input) {
    must(input.move?.arm === this.game, "a move of another game");
    return input.move[this.game];
  }

  #checkChance({ kind, deal, attempt, cards, sides }, outcome) {
    const { root, decks } = this.record.reveal;
    const given = kind === "deck" && attempt === 0 ? decks[deal - 1]?.cards : undefined;
    this.counts[kind === "deck" ? "decks" : "lots"] += 1;
    const derived = kind === "deck" ? (given ?? deals.deck(root, deal, attempt, cards)) : [deals.lot(root, deal, sides)];
    const found = [...outcome].sort((a, b) => a - b);
    must(kind === "deck" ? same(found, [...cards]) : outcome.length === 1 && outcome[0] < sides, "no such chance");
    if (!same(derived, outcome)) {
      this.wrongChance ??= `the ${kind} of deal ${deal} is not the one that follows from the root`;
    }
  }

  #compare({ event, private: privates }) {
    const wanted = this.expected.shift();
    must(wanted !== undefined, "it follows from nothing");
    const part = event.game[this.game];
    must(part !== undefined && part.arm === wanted.arm, `it is ${part?.arm}, not ${wanted.arm}`);
    const told = part[part.arm];
    if (wanted.ladder) {
      told.order.forEach((suit) => this.#checkLadder(suit, wanted.ladder));
      wanted.value.order.forEach((suit, at) => (suit.strengths = told.order[at]?.strengths));
    }
    must(same(told, wanted.value), `what ${part.arm} tells is not what happened`);
    const own = wanted.private ?? new Map();
    must(own.size === privates.size, "it shows something to other seats");
    for (const [seat, { arm, value }] of own) {
      const shown = privates.get(seat)?.[this.game];
      must(shown?.arm === arm && same(shown[arm], value), `what it shows seat ${seat} is not what happened`);
    }
    if (part.arm === "deal_scored") this.counts.deals += 1;
  }

  // Strengths may be any numbers that tie and follow each other as the places on the ladder do.
  #checkLadder({ cards, strengths }, trumps) {
    must(strengths.length === cards.length, "cards without a strength");
    for (let at = 1; at < cards.length; at++) {
      const step = strengths[at] - strengths[at - 1];
      const wanted = trumps.place(cards[at]) - trumps.place(cards[at - 1]);
      must(wanted < 2 ? step === wanted : step > 1, "strengths that do not fit the order of the cards");
    }
  }

  decks() {
    must(this.wrongChance === undefined, this.wrongChance);
    return `${this.counts.decks} decks and ${this.counts.lots} lots follow from the root`;
  }

  result() {
    const { result, table } = this.record;
    const reason = END_REASONS[result.reason];
    const last = this.lines.at(-1).event;
    const isHalted = reason === "HALTED";
    if (last.arm === "match_ended") must(!isHalted && equal(last.match_ended.raw, result.raw), "the last event tells another result");
    else must(last.arm === "table_halted" && isHalted, "the match has not ended");
    must(this.lines.every((line, at) => at === this.lines.length - 1 || !["match_ended", "table_halted"].includes(line.event.arm)), "the log continues after the end");
    const outcome = this.referee.outcome();
    const restarts = this.#vainOpenings().filter((opening) => !opening.isLast).length;
    const { record, lines, isBegun, source } = this;
    const basis = checkEnding({ record, lines, isBegun, source, restarts }, outcome !== null);
    let seats = [];
    if (reason === "FINISHED") seats = outcome;
    else if (reason === "FORFEIT" || reason === "CONCEDED") {
      seats = lostBy(result.seat_at_fault, table.seats.map(({ team }) => team), this.referee.scores());
    } else if (reason === "ADJUDICATED") {
      checkOutcome(result.seats, table.seats.map(({ team }) => team));
      seats = result.seats;
    }
    must(same(result.seats, seats), "the scores and places are not those of the match");
    const scores = seats.map(({ score }) => (score < 0 ? score : `+${score}`)).join(" ");
    return `${reason}: ${scores || "it does not count"}${basis}`;
  }
}

// Checks a serialised MatchRecord; { verified, checks: [{ name, holds, detail }] }.
export function verify(bytes) {
  return new Verifier(bytes).run();
}
