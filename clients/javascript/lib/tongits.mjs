// Tong-its from its rules page: deals, turns, melds, draw calls, payments, the pot (G-1 to G-7).
//
// Every input gives the events that must follow it.

import { cardOf, copies, less, must, range, rankOf, sorted, suitOf, sum } from "./cards.mjs";

const PACK = range(1, 53);
const SEATS = [0, 1, 2];
const ACE = 14;
const TONGITS = 1, DRAW_CALL = 2, STOCK = 3;

const worthOf = (card) => (rankOf(card) === ACE ? 1 : Math.min(rankOf(card), 10));
const points = (cards) => sum(cards.map(worthOf));
const aces = (cards) => cards.filter((card) => rankOf(card) === ACE).length;

// Ranks of which `cards` hold at least `least`.
function ranksHeld(cards, least) {
  const held = copies(cards.map(rankOf));
  return range(2, 15).filter((rank) => (held.get(rank) ?? 0) >= least);
}

// G-3.1.
function runOrders(options) {
  if (options.runs !== "true") return [];
  const low = [ACE, ...range(2, 14)];
  return options.ace_high_runs === "true" ? [low, range(2, 15)] : [low];
}

export function isMeld(cards, options) {
  if (cards.length < 3 || new Set(cards).size < cards.length) return false;
  const ranks = cards.map(rankOf);
  if (new Set(ranks).size === 1) return true;
  if (new Set(cards.map(suitOf)).size > 1) return false;
  return runOrders(options).some((order) => {
    const places = sorted(ranks.map((rank) => order.indexOf(rank)));
    return places[0] >= 0 && places.every((place, at) => place === places[0] + at);
  });
}

// Every meld in a hand.
function meldsIn(hand, options) {
  const found = [];
  for (const rank of ranksHeld(hand, 3)) {
    const four = hand.filter((card) => rankOf(card) === rank);
    found.push(four);
    if (four.length === 4) for (const card of four) found.push(less(four, [card]));
  }
  for (const order of runOrders(options)) {
    for (const suit of range(0, 4)) {
      for (let start = 0; start < order.length; start++) {
        const run = [];
        for (let at = start; at < order.length; at++) {
          const card = cardOf(suit, order[at]);
          if (!hand.includes(card)) break;
          run.push(card);
          if (run.length >= 3) found.push([...run]);
        }
      }
    }
  }
  return found;
}

// G-5.4: what is left after the best melds, by trying all of them for the first card that is in any.
export function deadwood(hand, options) {
  const known = new Map();
  const least = (cards) => {
    const key = sorted(cards).join();
    if (!known.has(key)) {
      let best = points(cards);
      for (const meld of meldsIn(cards, options)) best = Math.min(best, least(less(cards, meld)));
      known.set(key, best);
    }
    return known.get(key);
  };
  return least(hand);
}

export class Tongits {
  constructor(options) {
    this.options = options;
    this.players = 3;
    this.phase = "deal";
    this.dealer = undefined;
    this.deal = 0;
    this.chips = [0, 0, 0];
    this.pot = 0;
    this.streakSeat = undefined;
    this.streak = 0;
  }

  #chips(name) {
    return Number(this.options[name]);
  }

  #has(name, word) {
    return this.options[name].split(",").includes(word);
  }

  wanted() {
    if (this.phase !== "deal") return null;
    if (this.dealer === undefined) return { kind: "lot", deal: 1, sides: 3 };
    return { kind: "deck", deal: this.deal + 1, attempt: 0, cards: PACK };
  }

  chance(outcome) {
    if (this.dealer === undefined) {
      [this.dealer] = outcome;
      return [{ arm: "lot_drawn", value: { dealer: this.dealer } }];
    }
    this.deal += 1;
    const ante = this.pot && this.options.ante_timing === "new_pot_only" ? 0 : this.#chips("ante");
    this.pot += 3 * ante;
    this.chips = this.chips.map((chips) => chips - ante);
    const dealt = new Map();
    this.hands = [];
    for (const place of SEATS) {
      const seat = (this.dealer + place) % 3;
      const own = range(0, 13).map((round) => 3 * round + place).filter((at) => at < 37);
      this.hands[seat] = own.map((at) => outcome[at]);
      dealt.set(seat, { arm: "dealt", value: { cards: this.hands[seat] } });
    }
    this.stock = outcome.slice(37);
    Object.assign(this, { phase: "play", toAct: this.dealer, took: false, melds: [], discards: [] });
    Object.assign(this, { fours: [[], [], []], turns: [0, 0, 0], answers: [], caller: undefined });
    this.bars = { turn: new Set(), deal: new Set(), discard: new Set() };
    const { deal, dealer, pot } = this;
    return [{ arm: "deal_started", value: { deal, dealer, ante, pot }, private: dealt }];
  }

  move(seat, move) {
    must(seat === this.toAct, `seat ${seat} is not to act`);
    const moves = {
      start: ["draw_stock", "take_discard", "call_draw"],
      play: ["meld", "secret_four", "lay_off", "discard", "end_turn"],
      answer: ["fold", "challenge"],
    }[this.phase];
    must(moves?.includes(move.arm), `a move that is not asked for: ${move.arm}`);
    const given = move[move.arm];
    switch (move.arm) {
      case "draw_stock": return this.#draw(seat);
      case "take_discard": return this.#take(seat, given);
      case "call_draw": return this.#callDraw(seat);
      case "meld": return this.#meld(seat, given.cards);
      case "secret_four": return this.#secretFour(seat, given.rank);
      case "lay_off": return this.#layOff(seat, given.meld, given.cards);
      case "discard": return this.#discard(seat, given.card);
      case "end_turn": return this.#endTurn(seat);
      default: return this.#answer(seat, move.arm === "challenge");
    }
  }

  #leave(seat, cards) {
    this.hands[seat] = less(this.hands[seat], cards, `seat ${seat}`);
  }

  #after(seat) {
    return this.hands[seat].length ? [] : this.#endDeal(TONGITS, seat, [], [0, 0, 0]);
  }

  #draw(seat) {
    const card = this.stock.shift();
    this.hands[seat].push(card);
    this.bars.turn.delete(seat);
    this.phase = "play";
    const shown = new Map([[seat, { arm: "drawn", value: { cards: [card] } }]]);
    return [{ arm: "stock_drawn", value: { seat, stock_size: this.stock.length }, private: shown }];
  }

  #shown({ number, seat, cards, taken, turned_down, lay_offs }) {
    return { number, seat, cards: sorted(cards), taken, turned_down, lay_offs: [...lay_offs] };
  }

  #expose(seat, cards, taken, isTurnedDown) {
    const all = taken === undefined ? cards : [...cards, taken];
    must(isMeld(all, this.options), "no meld");
    this.#leave(seat, cards);
    const number = this.melds.length;
    this.melds.push({ number, seat, cards: all, taken, turned_down: isTurnedDown, lay_offs: [] });
    return this.#shown(this.melds[number]);
  }

  #take(seat, { cards, meld }) {
    must(this.discards.length > 0, "there is no discard");
    const top = this.discards.pop();
    if (this.options.draw_block_discard_taken === "true") this.bars.discard.add(top.seat);
    this.bars.turn.delete(seat);
    this.took = true;
    this.phase = "play";
    let lies;
    if (meld === undefined) {
      must(cards.length >= 2, "a discard is taken with two cards or more");
      lies = this.#expose(seat, cards, top.card, this.options.discard_melds === "turned_down");
    } else {
      const rule = this.options.discard_take;
      must(this.options.layoff === "true" && rule !== "new_meld_only", "it may not be laid off");
      must(cards.length === 0, "laid off and melded at once");
      must(rule === "meld_or_layoff_any" || this.melds[meld]?.seat === seat, "not an own meld");
      this.#addTo(seat, meld, [top.card]);
      lies = this.#shown(this.melds[meld]);
    }
    const taken = { arm: "discard_taken", value: { seat, card: top.card, meld: lies } };
    return [taken, ...(meld === undefined ? this.#after(seat) : [])];
  }

  #meld(seat, cards) {
    must(this.options.hand_melds === "true", "melds of the hand are not exposed here");
    const meld = this.#expose(seat, cards, undefined, false);
    return [{ arm: "meld_exposed", value: { meld } }, ...this.#after(seat)];
  }

  #secretFour(seat, rank) {
    must(this.options.secret_fours === "true", "there are no secret fours here");
    this.#leave(seat, range(0, 4).map((suit) => cardOf(suit, rank)));
    this.fours[seat].push(rank);
    const shown = new Map([[seat, { arm: "laid", value: { rank } }]]);
    return [{ arm: "secret_four_laid", value: { seat }, private: shown }, ...this.#after(seat)];
  }

  // G-4, and what it bars (G-5.2).
  #addTo(seat, number, cards) {
    const meld = this.melds[number];
    must(meld !== undefined, "no such meld");
    must(isMeld([...meld.cards, ...cards], this.options), "these do not extend the meld");
    meld.cards = [...meld.cards, ...cards];
    const laid = { seat, cards: sorted(cards) };
    meld.lay_offs.push(laid);
    if (seat !== meld.seat && this.options.draw_block_scope === "whole_hand") this.bars.deal.add(meld.seat);
    else if (seat !== meld.seat || this.options.draw_block_self_layoff === "true") this.bars.turn.add(meld.seat);
    return laid;
  }

  #layOff(seat, number, cards) {
    must(this.options.layoff === "true" && cards.length > 0, "nothing is laid off here");
    this.#leave(seat, cards);
    const laid_off = this.#addTo(seat, number, cards);
    return [{ arm: "cards_laid_off", value: { meld: number, laid_off } }, ...this.#after(seat)];
  }

  #discard(seat, card) {
    must(!this.took || this.options.discard_after_take === "true", "no discard ends this turn");
    this.#leave(seat, [card]);
    this.discards.push({ seat, card });
    this.bars.discard.delete(seat);
    const events = [{ arm: "discarded", value: { seat, card } }];
    if (!this.hands[seat].length) return [...events, ...this.#after(seat)];
    if (!this.stock.length) return [...events, ...this.#endByStock(seat)];
    this.#passTurn(seat);
    return events;
  }

  #endTurn(seat) {
    must(this.took && this.options.discard_after_take === "false", "a discard ends this turn");
    this.#passTurn(seat);
    return [{ arm: "turn_ended", value: { seat } }];
  }

  #passTurn(seat) {
    this.turns[seat] += 1;
    this.took = false;
    this.phase = "start";
    this.toAct = (seat + 1) % 3;
  }

  // Draw calls (G-5.2).

  #isOpened(seat) {
    return this.melds.some((meld) => meld.seat === seat);
  }

  #may(seat, word) {
    if (this.#isOpened(seat) || this.options.draw_call === "anyone") return true;
    return this.fours[seat].length > 0 && this.#has("secret_open", word);
  }

  #callDraw(seat) {
    must(this.#may(seat, "call"), "a draw call by a seat that is not opened");
    must(this.options.draw_call !== "anyone" || this.turns[seat] > 0, "a draw call in the first turn");
    must(!Object.values(this.bars).some((barred) => barred.has(seat)), "a draw call that is barred");
    this.caller = seat;
    this.phase = "answer";
    return [{ arm: "draw_called", value: { seat } }, ...this.#askNext()];
  }

  #answer(seat, isChallenge) {
    return [this.#answered(seat, isChallenge, false), ...this.#askNext()];
  }

  #answered(seat, challenged, unasked) {
    this.answers.push({ seat, challenged });
    return { arm: "answered", value: { seat, challenged, unasked } };
  }

  #askNext() {
    const events = [];
    while (this.answers.length < 2) {
      const seat = (this.caller + 1 + this.answers.length) % 3;
      if (this.#may(seat, "challenge")) {
        this.toAct = seat;
        return events;
      }
      events.push(this.#answered(seat, false, true));
    }
    const challengers = this.answers.filter((one) => one.challenged).map((one) => one.seat);
    const shown = [...challengers, this.caller];
    const dead = SEATS.map((seat) => (shown.includes(seat) ? deadwood(this.hands[seat], this.options) : 0));
    const place = (seat) => (seat - this.caller - 1 + 3) % 3;
    const winner = [...shown].sort((a, b) => dead[a] - dead[b] || place(a) - place(b))[0];
    return [...events, ...this.#endDeal(DRAW_CALL, winner, challengers, dead)];
  }

  // Ends.

  #isBurned(seat, showdown) {
    if (this.#isOpened(seat)) return false;
    const four = this.fours[seat].length > 0;
    if (four && this.#has("secret_open", "burn")) return false;
    const showsSet = showdown.includes(seat) && (four || ranksHeld(this.hands[seat], 3).length > 0);
    return !(showsSet && this.options.draw_call === "anyone");
  }

  #endByStock(last) {
    const burned = SEATS.map((seat) => this.#isBurned(seat, []));
    let standing = SEATS.filter((seat) => !burned[seat]);
    const counted = standing.length ? standing : SEATS;
    const dead = SEATS.map((seat) => (counted.includes(seat) ? deadwood(this.hands[seat], this.options) : 0));
    if (!standing.length && this.options.nobody_open === "lowest") standing = [...SEATS];
    const place = (seat) => (seat - last + 3) % 3;
    const winner = standing.sort((a, b) => dead[a] - dead[b] || place(a) - place(b))[0];
    return this.#endDeal(STOCK, winner, [], dead);
  }

  #endDeal(ending, winner, challengers, dead) {
    const caller = ending === DRAW_CALL ? this.caller : undefined;
    const showdown = challengers.length ? [caller, ...challengers] : [];
    const burned = SEATS.map((seat) => this.#isBurned(seat, showdown));
    const settlement = [0, 0, 0];
    let payments = [];
    let jackpot = 0;
    if (winner !== undefined) {
      const verdict = { ending, winner, caller, challengers, showdown, burned };
      payments = SEATS.filter((seat) => seat !== winner).map((seat) => this.#payment(seat, verdict));
      for (const { seat, base, aces: forAces, specials, burned: fine, fold_penalty } of payments) {
        const total = base + forAces + specials + fine + fold_penalty;
        settlement[seat] -= total;
        settlement[winner] += total;
      }
      jackpot = this.#countWin(winner);
    }
    this.chips = this.chips.map((chips, seat) => chips + settlement[seat]);
    const dealer = this.dealer;
    if (winner !== undefined) this.dealer = this.options.next_dealer === "winner" ? winner : (dealer + 1) % 3;
    const isShown = (seat) =>
      seat === winner || showdown.includes(seat) || (ending === STOCK && !burned[seat]);
    const seats = SEATS.map((seat) => ({
      seat,
      burned: burned[seat],
      shown: isShown(seat),
      hand: isShown(seat) ? sorted(this.hands[seat]) : [],
      secret_fours: isShown(seat) ? [...this.fours[seat]] : [],
      deadwood: isShown(seat) ? dead[seat] : 0,
      settlement: settlement[seat],
      chips: this.chips[seat],
    }));
    const value = {
      deal: this.deal, dealer, ending, winning_seat: winner, caller, challengers, seats, payments, jackpot,
      pot: this.pot, streak: this.streak, next_dealer: this.dealer,
    };
    this.phase = "deal";
    this.toAct = undefined;
    const events = [{ arm: "deal_scored", value }];
    if (String(this.deal) === this.options.max_hands) {
      this.phase = "over";
      const share = this.pot / 3;
      must(Number.isInteger(share), "the pot does not divide");
      this.pot = 0;
      this.chips = this.chips.map((chips) => chips + share);
      events.push({ arm: "pot_split", value: { share, chips: [...this.chips] } });
    }
    return events;
  }

  // G-6.
  #payment(seat, { ending, winner, caller, challengers, showdown, burned }) {
    let base = this.#chips(ending === TONGITS ? "pay_tongits" : "pay_win");
    let fine = 0;
    if (ending === DRAW_CALL) {
      const scope = this.options.fought_scope;
      const isFought =
        scope === "showdown_losers" ? showdown.includes(seat) : scope === "any_draw" || challengers.length > 0;
      if (isFought) base = this.#chips("pay_draw_fought");
      if (seat !== caller && !challengers.includes(seat)) fine = this.#chips("fold_penalty");
    }
    return {
      seat,
      base,
      aces: this.#chips("pay_ace") * this.#acesOf(winner),
      specials: this.#chips("pay_special") * this.#specialsOf(winner),
      burned: burned[seat] ? this.#chips("pay_burned") : 0,
      fold_penalty: fine,
    };
  }

  #acesOf(seat) {
    let number = aces(this.hands[seat]) + (this.fours[seat].includes(ACE) ? 4 : 0);
    for (const meld of this.melds.filter((one) => one.seat === seat)) {
      number += aces(meld.cards);
      for (const laid of meld.lay_offs) if (laid.seat !== seat) number -= aces(laid.cards);
    }
    return number;
  }

  #specialsOf(seat) {
    const hand = this.hands[seat];
    const own = this.melds.filter((meld) => meld.seat === seat);
    const fours = this.fours[seat].length;
    let number = 0;
    if (this.#has("special_pays", "face_down")) number += fours;
    if (this.#has("special_pays", "in_hand")) number += ranksHeld(hand, 4).length;
    if (this.#has("special_pays", "any_four")) {
      number += own.filter((meld) => meld.cards.length === 4 && ranksHeld(meld.cards, 4).length).length;
    }
    if (this.#has("special_pays", "every_set")) {
      number += fours + ranksHeld(hand, 3).length + sum(own.map((meld) => ranksHeld(meld.cards, 3).length));
    }
    return number;
  }

  // G-7.
  #countWin(winner) {
    const wins = winner === this.streakSeat ? this.streak + 1 : 1;
    this.streakSeat = winner;
    this.streak = wins;
    if (wins < 2) return 0;
    this.streak = this.options.streak_after_jackpot === "keep_1" ? 1 : 0;
    const jackpot = this.pot;
    this.pot = 0;
    this.chips[winner] += jackpot;
    return jackpot;
  }

  // The scores if the match ended with the last finished deal: the pot is shared evenly.
  scores() {
    return this.chips.map((chips) => chips + Math.floor(this.pot / 3));
  }

  outcome() {
    if (this.phase !== "over") return null;
    const scores = this.scores();
    return scores.map((score, seat) => ({
      seat,
      score,
      place: 1 + scores.filter((other) => other > score).length,
    }));
  }

  team(seat) {
    return seat;
  }
}
