// Pokex from its rules page: deals, the auction, tricks, hands with wild cards, scores (P-1 to P-6).
//
// Every input gives the events that must follow it.

import { isJoker, less, must, range, rankOf, sorted, suitOf, sum } from "./cards.mjs";

const PACK = range(1, 55);
const triangle = (n) => (n * (n + 1)) / 2;

// P-5.1, rising.
const HIGH = 1, PAIR = 2, TWO_PAIR = 3, THREE = 4, STRAIGHT = 5;
const FLUSH = 6, FULL = 7, FOUR = 8, STRAIGHT_FLUSH = 9, FIVE = 10;
const TOP = 15; // P-3.1: a joker that is the top card
const GROUPS = new Map([
  ["5", FIVE], ["4,1", FOUR], ["3,2", FULL], ["3,1,1", THREE], ["2,2,1", TWO_PAIR],
  ["2,1,1,1", PAIR], ["1,1,1,1,1", HIGH],
]);

const compareLists = (a, b) => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) - (b[i] ?? 0);
  }
  return 0;
};

// The best hand of five cards (P-5): every rank is tried for every wild card, suits follow from
// whether the cards that are not wild share one.
export function bestHand(cards, options, named) {
  const topJoker = options.joker === "top_card";
  const isWild = (card) => (isJoker(card) ? !topJoker : rankOf(card) === named);
  const plain = cards.filter((card) => !isWild(card));
  const wild = cards.filter(isWild);
  const held = plain.map((card) => (isJoker(card) ? TOP : rankOf(card)));
  const suits = new Set(plain.map(suitOf));
  const oneSuit = suits.size <= 1 && !held.includes(TOP);
  let best = null;
  const consider = (category, ranks, made, inSuit) => {
    const order = best && (category - best.category || compareLists(ranks, best.ranks));
    if (best && order < 0) return;
    const wilds_used = wild.length - ownCards(wild, held, made, named, inSuit ? suits : null, options);
    if (!best || order > 0 || wilds_used < best.wilds_used) best = { category, ranks, wilds_used };
  };
  const tryRanks = (made, from) => {
    if (made.length < 5) {
      for (let rank = from; rank <= 14; rank++) tryRanks([...made, rank], rank);
      return;
    }
    const falling = [...made].sort((a, b) => b - a);
    const counts = new Map();
    for (const rank of falling) counts.set(rank, (counts.get(rank) ?? 0) + 1);
    const groups = [...counts].map(([rank, n]) => [n, rank]).sort((a, b) => b[0] - a[0] || b[1] - a[1]);
    const category = GROUPS.get(groups.map(([n]) => n).join());
    consider(category, groups.map(([, rank]) => rank), falling, false);
    if (category === HIGH && falling[0] <= 14) {
      const top = falling[0] - falling[4] === 4 ? falling[0] : falling.join() === "14,5,4,3,2" ? 5 : 0;
      if (top) consider(STRAIGHT, [top], falling, false);
      if (top && oneSuit) consider(STRAIGHT_FLUSH, [top], falling, true);
    }
    if (oneSuit && (category === HIGH || options.flush_duplicates === "true")) {
      consider(FLUSH, falling, falling, true);
    }
  };
  tryRanks(held, 2);
  return best;
}

// P-5.3: how many cards of the wild rank stand for themselves in a hand of ranks `made`.
function ownCards(wild, held, made, named, suits, options) {
  if (options.wild_as_self_free !== "true") return 0;
  const own = wild.filter((card) => !isJoker(card));
  const wanted = made.filter((r) => r === named).length - held.filter((r) => r === named).length;
  if (suits === null || suits.size === 0) return Math.min(own.length, Math.max(0, wanted));
  const [suit] = suits;
  return wanted > 0 && own.some((card) => suitOf(card) === suit) ? 1 : 0;
}

export class Pokex {
  constructor(options) {
    this.options = options;
    this.players = 4;
    this.dealer = undefined;
    this.deal = 0;
    this.totals = [0, 0];
    this.passedOut = 0;
    this.phase = "deal";
    this.winner = undefined;
    this.hands = [];
  }

  wanted() {
    if (this.phase !== "deal") return null;
    if (this.dealer === undefined) return { kind: "lot", deal: 1, sides: 4 };
    return { kind: "deck", deal: this.deal + 1, attempt: 0, cards: PACK };
  }

  chance(outcome) {
    if (this.dealer === undefined) {
      [this.dealer] = outcome;
      return [{ arm: "lot_drawn", value: { dealer: this.dealer } }];
    }
    if (this.deal) this.dealer = (this.dealer + 1) % 4;
    this.deal += 1;
    this.center = outcome.slice(48);
    this.left = [...this.center];
    const dealt = new Map();
    for (let seat = 0; seat < 4; seat++) {
      const first = (seat + 3 - this.dealer) % 4;
      const own = range(0, 12).map((round) => outcome[4 * round + first]);
      this.hands[seat] = own;
      dealt.set(seat, { arm: "dealt", value: { cards: own } });
    }
    Object.assign(this, { phase: "bid", calls: [], bid: 0, declarer: undefined, named: undefined });
    Object.assign(this, { taken: [0, 0], tricks: 0, carried: 0, toAct: (this.dealer + 1) % 4 });
    const { deal, dealer, center } = this;
    return [
      { arm: "deal_started", value: { deal, dealer, center, totals: [...this.totals] }, private: dealt },
    ];
  }

  move(seat, move) {
    must(seat === this.toAct, `seat ${seat} is not to act`);
    if (this.phase === "bid" && (move.arm === "bid" || move.arm === "decline")) {
      return this.#call(seat, move.arm === "bid" ? move.bid.tricks : 0);
    }
    if (this.phase === "name" && move.arm === "name_rank") {
      this.named = move.name_rank.rank;
      must(this.named >= 2 && this.named <= 14, "no rank was named");
      this.#startPlay(seat);
      return [{ arm: "rank_named", value: { seat, rank: this.named } }];
    }
    must(this.phase === "play" && move.arm === "play", `a move that is not asked for: ${move.arm}`);
    return this.#play(seat, move.play);
  }

  #call(seat, tricks) {
    must(tricks === 0 || (tricks > this.bid && tricks <= 6), "a bid that is not higher, or above 6");
    this.calls.push({ seat, tricks });
    if (tricks) [this.bid, this.declarer] = [tricks, seat];
    const events = [{ arm: "called", value: { seat, tricks } }];
    const isOut = this.options.pass_is_out === "true";
    const out = new Set(this.calls.filter((call) => !call.tricks).map((call) => call.seat));
    const row = this.calls.length - 1 - this.calls.findLastIndex((call) => call.tricks);
    const passes = isOut ? this.calls.filter((call) => !call.tricks).length : row;
    if (this.bid < 6 && passes < (this.bid ? 3 : 4)) {
      do this.toAct = (this.toAct + 1) % 4;
      while (isOut && out.has(this.toAct));
      return events;
    }
    const { declarer, bid } = this;
    events.push({ arm: "auction_ended", value: { declarer, bid } });
    if (declarer !== undefined) {
      if (this.options.wild_rank === "named") {
        this.phase = "name";
        this.toAct = declarer;
      } else this.#startPlay(declarer);
    } else if (this.options.all_pass === "play" || this.passedOut === 3) {
      this.#startPlay((this.dealer + 1) % 4);
    } else events.push(this.#endDeal(true));
    return events;
  }

  #startPlay(leader) {
    this.phase = "play";
    this.#startTrick(leader);
  }

  #startTrick(leader) {
    this.leader = this.toAct = leader;
    this.plays = [];
    this.trickCenter = this.options.center === "fixed" ? this.left.shift() : undefined;
  }

  #play(seat, { cards, center }) {
    must(cards.length === 2, "a play is two cards");
    this.hands[seat] = less(this.hands[seat], cards, `seat ${seat}`);
    const isLead = this.plays.length === 0;
    if (isLead && this.options.center === "leader_picks") {
      must(this.left.includes(center), "the lead names no card that is left in the centre");
      this.trickCenter = center;
      this.left = less(this.left, [center]);
    } else must(center === undefined, "a centre card is named that is not to be named");
    this.plays.push({ seat, cards: sorted(cards) });
    const value = { play: { seat, cards: sorted(cards) }, center: isLead ? this.trickCenter : undefined };
    const events = [{ arm: "cards_played", value }];
    if (this.plays.length < 4) {
      const steps = this.options.play_order === "pair_first" ? [0, 2, 1, 3] : [0, 1, 2, 3];
      this.toAct = (this.leader + steps[this.plays.length]) % 4;
      return events;
    }
    value.trick_ended = this.#endTrick();
    if (this.tricks === 6) events.push(this.#endDeal(false));
    else this.#startTrick((this.leader + 1) % 4);
    return events;
  }

  #endTrick() {
    const hands = [0, 1].map((side) => {
      const own = this.plays.filter((play) => play.seat % 2 === side).flatMap((play) => play.cards);
      return bestHand([...own, this.trickCenter], this.options, this.named);
    });
    let order = hands[0].category - hands[1].category || compareLists(hands[0].ranks, hands[1].ranks);
    if (!order && this.options.tie_break_fewer_wilds === "true") {
      order = hands[1].wilds_used - hands[0].wilds_used;
    }
    let winner = order ? (order > 0 ? 0 : 1) : undefined;
    let counted = 1 + this.carried;
    if (winner !== undefined) this.carried = 0;
    else {
      const rule = this.options.tied_trick;
      counted = 1;
      if (rule === "leader") winner = this.leader % 2;
      else if (rule === "other") winner = 1 - (this.leader % 2);
      else {
        if (rule === "carry") this.carried += 1;
        counted = 0;
      }
    }
    if (winner !== undefined) this.taken[winner] += counted;
    this.tricks += 1;
    return { winning_team: winner, hands, counted };
  }

  #endDeal(isPassedOut) {
    const { options, bid, declarer, taken } = this;
    const side = declarer === undefined ? undefined : declarer % 2;
    let points = [0, 0];
    this.passedOut = isPassedOut ? this.passedOut + 1 : 0;
    if (!isPassedOut) {
      const rule = options.opponents_score;
      points = taken.map((n) => (rule === "none" ? 0 : rule === "triangle" ? triangle(n) : n));
      if (side !== undefined) {
        const failed = { zero: 0, minus_bid: -bid, minus_triangle: -triangle(bid) }[options.undertrick];
        points[side] = taken[side] >= bid ? triangle(bid) + bid * (taken[side] - bid) : failed;
      }
    }
    this.totals = this.totals.map((total, at) => total + points[at]);
    this.#judge(side);
    const value = {
      deal: this.deal, dealer: this.dealer, declarer, bid, passed_out: isPassedOut,
      wild_rank: this.named, tricks: [...taken], points: points.map((n) => n + 0), totals: [...this.totals],
    };
    return { arm: "deal_scored", value };
  }

  // P-6.4, P-6.5.
  #judge(declarers) {
    const [a, b] = this.totals;
    const target = Number(this.options.target);
    const leading = a === b ? undefined : a > b ? 0 : 1;
    const bothOver = Math.min(a, b) >= target;
    this.phase = "deal";
    this.toAct = undefined;
    if (Math.max(a, b) >= target) {
      const first = this.options.both_over === "declarers_first" && declarers !== undefined && bothOver;
      this.winner = first ? declarers : leading;
      if (this.winner !== undefined) this.phase = "over";
    }
    if (this.phase !== "over" && String(this.deal) === this.options.max_deals) {
      this.winner = leading;
      this.phase = "over";
    }
  }

  // The scores if the match ended with the last finished deal.
  scores() {
    const lead = this.totals[0] - this.totals[1];
    return range(0, 4).map((seat) => (seat % 2 ? 0 - lead : lead));
  }

  outcome() {
    if (this.phase !== "over") return null;
    return this.scores().map((score, seat) => ({
      seat,
      score,
      place: this.winner === undefined || this.winner === seat % 2 ? 1 : 2,
    }));
  }

  team(seat) {
    return seat % 2;
  }
}
