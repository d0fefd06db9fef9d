// Tractor from its rules page: draws, declarations, auction, tricks, points, levels (T-1 to T-11).
//
// Every input gives the events that must follow it. Of what a follower owes, the suit is checked
// (T-6.1, T-6.2) and the structure is not (T-6.4).

import { copies, isJoker, less, must, range, rankOf, RED_JOKER, sorted, suitOf, sum } from "./cards.mjs";
import { Trumps } from "./trumps.mjs";

const LEVELS = "23456789TJQKA";
const ACE = 14;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const level = (letter) => LEVELS.indexOf(letter) + 2;
const value = (card) => ({ 5: 5, 10: 10, 13: 10 })[rankOf(card)] ?? 0;
const points = (cards) => sum(cards.map(value));
const NO_TRUMP = 5; // of TractorTrumpSuit; the suits are from 1 on
const trumpNumber = (suit) => (suit === undefined ? NO_TRUMP : suit + 1);
const capped = (number) => (number > SAFE_MAX ? SAFE_MAX : number);

export class Tractor {
  constructor(options) {
    this.options = options;
    this.players = Number(options.players);
    this.packs = options.packs === "auto" ? this.players / 2 : Number(options.packs);
    const levels = options.start_levels.split(",").map(level);
    this.start = [levels[0], levels.at(-1)];
    this.levels = [...this.start];
    this.given = options.starter === "none" ? undefined : Number(options.starter);
    this.nominee = this.given;
    this.isAuction = options.trump_making === "auction";
    this.kitty = options.kitty_size === "auto" ? this.#autoKitty() : Number(options.kitty_size);
    this.mandatory = options.mandatory_levels === "none" ? [] : options.mandatory_levels.split(",").map(level);
    this.firstDrawer = undefined;
    this.deal = 0;
    this.attempt = 0;
    this.dealsDone = 0;
    this.phase = "deal";
    this.aceWinner = undefined;
  }

  #autoKitty() {
    let kitty = (this.packs * 54) % this.players || this.players;
    while (kitty < 5) kitty += this.players;
    return kitty;
  }

  team(seat) {
    return seat % 2;
  }

  // Chance, draw -------------------------------------------------------------------------------

  wanted() {
    if (this.phase !== "deal") return null;
    const deal = this.dealsDone + 1;
    if (this.firstDrawer === undefined && this.given === undefined) {
      return { kind: "lot", deal, sides: this.players };
    }
    const attempt = this.deal === deal ? this.attempt + 1 : 0;
    return { kind: "deck", deal, attempt, cards: range(1, 55).flatMap((card) => range(0, this.packs).map(() => card)) };
  }

  chance(outcome, { kind, deal, attempt }) {
    if (kind === "lot") {
      [this.firstDrawer] = outcome;
      return [{ arm: "lot_drawn", value: { first_drawer: this.firstDrawer } }];
    }
    if (attempt === 0) {
      if (deal === 1) this.firstDrawer = this.given ?? this.firstDrawer;
      else if (this.options.first_drawer === "starter") this.firstDrawer = this.nominee;
      else this.firstDrawer = (this.firstDrawer + 1) % this.players;
    }
    Object.assign(this, { deal, attempt, stock: [...outcome], drawn: 0, standing: undefined });
    Object.assign(this, { firstDeclarer: undefined, starter: undefined, declarers: undefined });
    Object.assign(this, { bid: 0, calls: [], shown: [], opponentsPoints: 0, trumpRank: 0, answers: new Map() });
    this.hands = range(0, this.players).map(() => []);
    if (!this.isAuction) {
      this.trumpRank = this.levels[(this.nominee ?? 0) % 2];
      if (this.nominee !== undefined) [this.starter, this.declarers] = [this.nominee, this.nominee % 2];
    }
    const started = {
      deal, redeals: attempt, trump_rank: this.trumpRank, first_drawer: this.firstDrawer,
      starter: this.starter, levels: [...this.levels],
    };
    return [{ arm: "deal_started", value: started }, this.#draw()];
  }

  #draw() {
    const hand = (this.packs * 54 - this.kitty) / this.players;
    const window = this.options.declare_window;
    const isWhole = this.isAuction || window === "end_of_draw";
    const batch = isWhole ? this.players * hand : window === "each_card" ? 1 : this.players;
    const own = new Map();
    for (let step = 0; step < batch; step++) {
      const seat = (this.firstDrawer + this.drawn) % this.players;
      const card = this.stock.shift();
      this.hands[seat].push(card);
      this.drawn += 1;
      if (!own.has(seat)) own.set(seat, { arm: "drawn", value: { cards: [] } });
      own.get(seat).value.cards.push(card);
    }
    this.phase = this.isAuction ? "auction" : "draw";
    this.toAct = this.isAuction ? this.firstDrawer : undefined;
    return { arm: "cards_drawn", value: { hand_sizes: this.hands.map((cards) => cards.length) }, private: own };
  }

  // Declarations (T-3) --------------------------------------------------------------------------

  answer(seat, move) {
    must(this.phase === "draw" && !this.answers.has(seat), "an answer that was not asked for");
    if (move.arm !== "decline") {
      must(move.arm === "declare", "an answer that is no declaration");
      const { cards } = move.declare;
      must(new Set(cards).size === 1, "a declaration of different cards");
      must(isJoker(cards[0]) ? cards.length > 1 : rankOf(cards[0]) === this.trumpRank, "these declare nothing");
      less(this.hands[seat], cards, `seat ${seat}`);
      const [stands, mine] = [this.standing, { seat, card: cards[0], number: cards.length }];
      if (stands !== undefined) {
        must(this.#strength(mine) > this.#strength(stands), "a declaration that is too weak");
        const isBound = stands.seat === seat && this.options.self_override !== "true";
        must(!isBound || stands.card === mine.card, "a declaration that was changed");
      }
    }
    this.answers.set(seat, move);
  }

  #strength({ card, number }) {
    const jokers = card === RED_JOKER && this.options.joker_pairs === "ranked" ? 2 : 1;
    return 4 * number + (isJoker(card) ? jokers : 0);
  }

  closeWindow() {
    must(this.phase === "draw", "no window is open");
    let best;
    for (let step = 0; step < this.players; step++) {
      const seat = (this.firstDrawer + step) % this.players;
      const move = this.answers.get(seat);
      if (move?.arm !== "declare") continue;
      const made = { seat, card: move.declare.cards[0], number: move.declare.cards.length };
      if (best === undefined || this.#strength(made) > this.#strength(best)) best = made;
    }
    const own = new Map([...this.answers].map(([seat, move]) => [seat, { arm: "answer", value: move }]));
    this.answers = new Map();
    let declaration;
    if (best !== undefined) {
      this.standing = best;
      this.firstDeclarer ??= best.seat;
      declaration = {
        seat: best.seat,
        cards: range(0, best.number).map(() => best.card),
        suit: trumpNumber(isJoker(best.card) ? undefined : suitOf(best.card)),
      };
    }
    const events = [{ arm: "window_closed", value: { declaration }, private: own }];
    if (this.stock.length > this.kitty) events.push(this.#draw());
    else if (best === undefined) events.push(...this.#makeTrumps());
    return events;
  }

  #makeTrumps() {
    const stands = this.standing;
    if (stands !== undefined) {
      this.starter ??= this.options.first_starter === "first_declarer" ? this.firstDeclarer : stands.seat;
      return this.#fixTrumps(isJoker(stands.card) ? undefined : suitOf(stands.card));
    }
    const rule = this.options.no_declaration;
    const isRedealt = rule === "redeal" || (rule === "redeal_then_kitty" && this.deal === 1);
    if (isRedealt && this.attempt < 3) {
      this.phase = "deal";
      return [];
    }
    this.starter ??= this.firstDrawer;
    const { cards, suit } = this.#turn(rule);
    const turned = { arm: "kitty_turned", value: { cards, suit: trumpNumber(suit) } };
    return [...(cards.length ? [turned] : []), ...this.#fixTrumps(suit)];
  }

  // T-3.7.
  #turn(rule) {
    const kitty = this.stock;
    if (rule === "no_trump" || rule === "redeal") return { cards: [] };
    if (rule === "third_kitty_card") {
      const first = kitty.length > 2 ? 2 : 0;
      const at = kitty.findIndex((card, place) => place >= first && !isJoker(card));
      return at < 0 ? { cards: kitty.slice(first) } : { cards: kitty.slice(first, at + 1), suit: suitOf(kitty[at]) };
    }
    const at = kitty.findIndex((card) => rankOf(card) === this.trumpRank);
    if (at >= 0) return { cards: kitty.slice(0, at + 1), suit: suitOf(kitty[at]) };
    const highest = Math.max(...kitty.map(rankOf));
    const named = kitty.find((card) => !isJoker(card) && rankOf(card) === highest);
    return { cards: [...kitty], suit: named === undefined ? undefined : suitOf(named) };
  }

  #fixTrumps(suit) {
    this.declarers = this.starter % 2;
    this.trumps = new Trumps(suit, this.trumpRank, this.options);
    const fixed = {
      trumps: { rank: this.trumpRank, suit: trumpNumber(suit) },
      starter: this.starter, declaring_team: this.declarers, order: this.trumps.order(),
    };
    const cards = sorted(this.stock);
    this.hands[this.starter].push(...cards);
    this.stock = [];
    this.phase = "bury";
    this.toAct = this.starter;
    return [
      { arm: "trumps_fixed", value: fixed, ladder: this.trumps },
      {
        arm: "kitty_taken",
        value: { seat: this.starter, count: cards.length },
        private: new Map([[this.starter, { arm: "taken", value: { cards } }]]),
      },
    ];
  }

  // Moves -----------------------------------------------------------------------------------------

  move(seat, move) {
    must(seat === this.toAct, `seat ${seat} is not to act`);
    const moves = {
      auction: ["decline", "call"], show: ["show"], name: ["name_trumps"], bury: ["bury"], play: ["play"],
    }[this.phase];
    must(moves?.includes(move.arm), `a move that is not asked for: ${move.arm}`);
    if (this.phase === "auction") return this.#call(seat, move.arm === "call" ? move.call.points : 0);
    if (this.phase === "show") return this.#show(seat, move.show.card);
    if (this.phase === "name") {
      const { suit } = move.name_trumps;
      must(suit >= 1 && suit <= NO_TRUMP, `${suit} is neither a suit nor no trump`);
      return this.#fixTrumps(suit === NO_TRUMP ? undefined : suit - 1);
    }
    return this.phase === "bury" ? this.#bury(seat, move.bury.cards) : this.#play(seat, move.play.cards);
  }

  // T-11.1.
  #call(seat, called) {
    must(!called || (called % 5 === 0 && called > this.bid && called <= 100 * this.packs), "no call over the last");
    const hadPassed = this.calls.some((call) => !call.points);
    this.calls.push({ seat, points: called });
    const events = [{ arm: "called", value: { seat, points: called } }];
    const isOver = called ? hadPassed || called === 100 * this.packs : hadPassed || this.bid > 0;
    if (called) this.bid = called;
    if (!isOver) {
      this.toAct = (seat + 1) % this.players;
      return events;
    }
    const last = this.calls.findLast((call) => call.points)?.seat ?? this.nominee ?? this.firstDrawer;
    this.declarers = last % 2;
    this.trumpRank = this.levels[this.declarers];
    this.phase = "show";
    this.toAct = this.firstDrawer;
    const ended = { declaring_team: this.declarers, bid: this.bid, trump_rank: this.trumpRank };
    return [...events, { arm: "auction_ended", value: ended }];
  }

  // T-11.2, T-11.3.
  #show(seat, card) {
    this.hands[seat] = less(this.hands[seat], [card], `seat ${seat}`);
    this.shown.push({ seat, card });
    const events = [{ arm: "card_shown", value: { seat, cards: [card] } }];
    if (this.shown.length < this.players) {
      this.toAct = (seat + 1) % this.players;
      return events;
    }
    const height = ({ card: one }) => (isJoker(one) ? one : rankOf(one) === this.trumpRank ? 15 : rankOf(one));
    const highest = (cards) => cards.reduce((best, one) => (height(one) > height(best) ? one : best)).seat;
    this.starter = highest(this.shown.filter((one) => one.seat % 2 === this.declarers));
    const winner = highest(this.shown);
    const worth = points(this.shown.map((one) => one.card));
    if (winner % 2 !== this.declarers) this.opponentsPoints += worth;
    this.phase = "name";
    this.toAct = this.starter;
    const ended = { starter: this.starter, winning_seat: winner, points: worth, opponents_points: this.opponentsPoints };
    return [...events, { arm: "show_ended", value: ended }];
  }

  #bury(seat, cards) {
    must(cards.length === this.kitty, "a kitty of another size");
    this.hands[seat] = less(this.hands[seat], cards, `seat ${seat}`);
    this.buried = sorted(cards);
    this.phase = "play";
    this.plays = [];
    this.leader = seat;
    const own = new Map([[seat, { arm: "buried", value: { cards: this.buried } }]]);
    return [{ arm: "kitty_buried", value: { seat, count: cards.length }, private: own }];
  }

  #play(seat, tried) {
    const { trumps } = this;
    let cards = sorted(tried);
    less(this.hands[seat], cards, `seat ${seat}`);
    let failed_throw;
    if (this.plays.length === 0) {
      must(new Set(cards.map((card) => trumps.suitOf(card))).size === 1, "a lead of several suits");
      const beatable = trumps.beatable(cards, this.hands.filter((_, other) => other !== seat));
      if (beatable.length) {
        const smallest = beatable.at(-1);
        const stays = sorted(range(0, smallest.width).flatMap(() => smallest.cards));
        const penalty = this.#penalty(cards.length - stays.length, beatable);
        this.opponentsPoints += seat % 2 === this.declarers ? penalty : -penalty;
        failed_throw = { tried: cards, penalty };
        cards = stays;
      }
    } else this.#checkFollow(seat, cards);
    this.hands[seat] = less(this.hands[seat], cards);
    this.plays.push(cards);
    const event = { arm: "cards_played", value: { play: { seat, cards, failed_throw } } };
    if (this.plays.length < this.players) {
      this.toAct = (seat + 1) % this.players;
      return [event];
    }
    const winner = (this.leader + trumps.winner(this.plays)) % this.players;
    const worth = points(this.plays.flat());
    if (winner % 2 !== this.declarers) this.opponentsPoints += worth;
    event.value.trick_won = { winning_seat: winner, points: worth, opponents_points: this.opponentsPoints };
    const lead = this.plays[0];
    this.plays = [];
    this.leader = this.toAct = winner;
    return this.hands[seat].length ? [event] : [event, this.#endDeal(lead, winner)];
  }

  #penalty(withdrawn, beatable) {
    const failed = sum(beatable.map((part) => part.width * part.cards.length));
    return {
      none: 0, ten_per_throw: 10, ten_per_card_withdrawn: 10 * withdrawn, ten_per_failed_card: 10 * failed,
    }[this.options.throw_penalty];
  }

  // T-6.1, T-6.2.
  #checkFollow(seat, cards) {
    const led = this.trumps.suitOf(this.plays[0][0]);
    const ofSuit = (some) => some.filter((card) => this.trumps.suitOf(card) === led).length;
    must(cards.length === this.plays[0].length, "not as many cards as were led");
    must(ofSuit(cards) === Math.min(cards.length, ofSuit(this.hands[seat])), `seat ${seat} does not follow suit`);
  }

  // T-9.
  #endDeal(lead, lastWinner) {
    const multiplier = lastWinner % 2 === this.declarers ? 0n : this.#multiplier(lead);
    const bonus = multiplier * BigInt(points(this.buried));
    const total = BigInt(this.opponentsPoints) + bonus > 0n ? BigInt(this.opponentsPoints) + bonus : 0n;
    const steps = total / BigInt(20 * this.packs);
    let held = steps < 2n;
    let gained = held ? (total === 0n ? 3n : 2n - steps) : steps - 2n;
    if (!held && this.options.level_cap !== "none" && gained > BigInt(this.options.level_cap)) {
      gained = BigInt(this.options.level_cap);
    }
    if (held && this.options.contract === "must_make" && total > BigInt(100 * this.packs - this.bid)) {
      [held, gained] = [false, 0n];
    }
    const winner = held ? this.declarers : 1 - this.declarers;
    this.#promote(winner, gained, held);
    this.nominee = (this.starter + (held ? 2 : 1)) % this.players;
    this.dealsDone += 1;
    const isOver = this.aceWinner !== undefined || String(this.dealsDone) === this.options.max_deals;
    this.phase = isOver ? "over" : "deal";
    this.toAct = undefined;
    const { suit } = this.trumps;
    const result = {
      deal: this.deal, starter: this.starter, declaring_team: this.declarers,
      trumps: { rank: this.trumpRank, suit: trumpNumber(suit) },
      trick_points: this.opponentsPoints, kitty: this.buried, kitty_multiplier: capped(multiplier),
      kitty_bonus: capped(bonus), total: capped(total), winning_team: held || gained > 0n ? winner : undefined,
      levels_gained: capped(gained), levels: [...this.levels], next_starter: this.nominee, bid: this.bid,
      last_trick_winning_seat: lastWinner,
    };
    return { arm: "deal_scored", value: result };
  }

  #multiplier(lead) {
    const [largest] = this.trumps.read(lead);
    const size = BigInt(largest.width * largest.cards.length);
    switch (this.options.kitty_multiplier) {
      case "2x_largest_component": return 2n * size;
      case "2x_trick_size": return 2n * BigInt(lead.length);
      case "2_pow_pairs_plus_1": return 1n << (size / 2n + 1n);
      case "2_pow_largest_component": return 1n << size;
      default: return 2n;
    }
  }

  // T-9.5, T-9.6.
  #promote(team, gained, asDeclarers) {
    const from = this.levels[team];
    if (gained === 0n || (this.mandatory.includes(from) && !asDeclarers)) return;
    let to = BigInt(from) + gained;
    const stop = sorted(this.mandatory).find((rank) => rank > from && BigInt(rank) < to);
    if (stop !== undefined) to = BigInt(stop);
    const rule = this.options.ace_rule;
    const wins = rule === "defend" ? from === ACE && asDeclarers : rule === "pass" ? to > 14n : to >= 14n;
    this.levels[team] = to > 14n ? ACE : Number(to);
    if (wins) this.aceWinner = team;
  }

  // The scores if the match ended with the last finished deal.
  scores() {
    const lead = this.levels[0] - this.levels[1] + (this.aceWinner === 0) - (this.aceWinner === 1);
    return range(0, this.players).map((seat) => (seat % 2 === 0 ? lead : 0 - lead));
  }

  outcome() {
    if (this.phase !== "over") return null;
    return this.scores().map((score, seat) => ({ seat, score, place: score >= 0 ? 1 : 2 }));
  }
}
