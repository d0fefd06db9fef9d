// The order of the cards of one deal of Tractor, and what is made of cards in it (T-4, T-5, T-7, T-8).

import { BLACK_JOKER, copies, isJoker, less, range, rankOf, RED_JOKER, sorted, suitOf, cardOf } from "./cards.mjs";

export const TRUMPS = 4;

export class Trumps {
  constructor(suit, rank, options) {
    this.suit = suit;
    this.rank = rank;
    this.rankIsTrump = suit !== undefined || options.nt_rank_cards === "trump";
    this.compare = options.throw_compare;
    // By card: its place on the ladder of its suit. Places of neighbours differ by one.
    this.places = new Map();
    for (const own of range(0, 5)) {
      let place = 0;
      for (const piece of own === TRUMPS ? this.#trumpLadder(options) : this.#sideLadder(own, options)) {
        for (const step of piece) {
          place += 1;
          for (const card of step) this.places.set(card, place);
        }
        place += 1;
      }
    }
  }

  suitOf(card) {
    if (isJoker(card) || suitOf(card) === this.suit) return TRUMPS;
    return this.rankIsTrump && rankOf(card) === this.rank ? TRUMPS : suitOf(card);
  }

  place(card) {
    return this.places.get(card);
  }

  #sideLadder(suit, options) {
    if (suit === this.suit) return [];
    const steps = (from, to) => range(from, to).map((rank) => [cardOf(suit, rank)]);
    if (!this.rankIsTrump) return [steps(2, 15)];
    const [low, high] = [steps(2, this.rank), steps(this.rank + 1, 15)];
    return options.rank_gap === "natural" ? [low, high] : [[...low, ...high]];
  }

  #trumpLadder(options) {
    const plain = [];
    const ranks = [];
    const others = range(0, 4).filter((suit) => suit !== this.suit).map((suit) => cardOf(suit, this.rank));
    if (this.suit !== undefined) {
      for (const rank of range(2, 15)) if (rank !== this.rank) plain.push([cardOf(this.suit, rank)]);
      ranks.push(others, [cardOf(this.suit, this.rank)]);
    } else if (this.rankIsTrump) ranks.push(others);
    const jokers = [[BLACK_JOKER], [RED_JOKER]];
    if (options.trump_ladder === "full") return [[...plain, ...ranks, ...jokers]];
    const broken = [plain, ...ranks.map((step) => [step])];
    return options.trump_ladder === "jokers" ? [...broken, jokers] : [...broken, ...jokers.map((step) => [step])];
  }

  // Effective suits with their cards from low to high, as the event of the trumps tells them.
  order() {
    return range(0, 5)
      .map((suit) => ({
        suit: suit + 1,
        cards: range(1, 55)
          .filter((card) => this.suitOf(card) === suit)
          .sort((a, b) => this.place(a) - this.place(b) || a - b),
      }))
      .filter(({ cards }) => cards.length > 0);
  }

  // Every run of `length` tuples of `width` in `cards`, which are of one suit: one card a tuple, low
  // to high.
  runs(cards, width, length) {
    const held = [...copies(cards)].filter(([, number]) => number >= width).map(([card]) => card);
    let found = sorted(held).map((card) => [card]);
    for (let step = 1; step < length; step++) {
      found = found.flatMap((run) =>
        held
          .filter((card) => this.place(card) === this.place(run.at(-1)) + 1)
          .map((card) => [...run, card]),
      );
    }
    return found;
  }

  // The longest stretch of neighbouring places among tuples of `width`: a bound for runs.
  #longest(cards, width) {
    const places = new Set([...copies(cards)].filter(([, n]) => n >= width).map(([card]) => this.place(card)));
    let best = 0;
    for (const place of places) {
      let length = 0;
      while (places.has(place + length)) length += 1;
      best = Math.max(best, length);
    }
    return best;
  }

  // T-5.5: the components of a lead, largest first: { cards: one a tuple, low to high, width }.
  read(lead) {
    let rest = [...lead];
    const parts = [];
    for (;;) {
      const held = copies(rest);
      let best = null;
      for (let width = 2; width <= Math.max(...held.values(), 0); width++) {
        const length = this.#longest(rest, width);
        if (length < 2) continue;
        for (const run of this.runs(rest, width, length)) {
          const part = { cards: run, width };
          if (best === null || this.#isTakenBefore(part, best, held)) best = part;
        }
      }
      if (best === null) break;
      parts.push(best);
      rest = less(rest, range(0, best.width).flatMap(() => best.cards));
    }
    for (const [card, width] of copies(rest)) parts.push({ cards: [card], width });
    const size = (part) => part.cards.length * part.width;
    return parts.sort(
      (a, b) =>
        size(b) - size(a) ||
        b.cards.length - a.cards.length ||
        this.place(b.cards.at(-1)) - this.place(a.cards.at(-1)) ||
        a.cards.at(-1) - b.cards.at(-1),
    );
  }

  // Most cards, then the wider, then the higher; of equal cards the one held least, then by suit.
  #isTakenBefore(one, other, held) {
    const size = (part) => part.cards.length * part.width;
    const order =
      size(one) - size(other) ||
      one.width - other.width ||
      this.place(one.cards.at(-1)) - this.place(other.cards.at(-1));
    if (order) return order > 0;
    for (let at = 0; at < one.cards.length; at++) {
      const fewer = held.get(other.cards[at]) - held.get(one.cards[at]);
      if (fewer || one.cards[at] !== other.cards[at]) return fewer ? fewer > 0 : one.cards[at] < other.cards[at];
    }
    return false;
  }

  // T-8: the beatable components of a throw, largest first, against the other hands.
  beatable(lead, others) {
    const parts = this.read(lead);
    if (parts.length < 2) return [];
    const suit = this.suitOf(lead[0]);
    const inSuit = others.map((hand) => hand.filter((card) => this.suitOf(card) === suit));
    return parts.filter((part) => {
      const top = this.place(part.cards.at(-1));
      return inSuit.some((hand) =>
        this.runs(hand, part.width, part.cards.length).some((run) => this.place(run.at(-1)) > top),
      );
    });
  }

  // Whether `cards` divide into `shapes` ({ length, width, least }: the top at least that high).
  #divides(cards, shapes) {
    const known = new Map();
    const tuples = shapes.filter((shape) => shape.length * shape.width > 1);
    const singles = shapes.filter((shape) => shape.length * shape.width === 1).map((shape) => shape.least);
    singles.sort((a, b) => b - a);
    const go = (rest, at) => {
      if (at === tuples.length) {
        const places = rest.map((card) => this.place(card)).sort((a, b) => b - a);
        return places.length === singles.length && places.every((place, i) => place >= singles[i]);
      }
      const key = `${at}:${rest.join()}`;
      if (!known.has(key)) {
        const { length, width, least } = tuples[at];
        known.set(key, this.runs(rest, width, length).some(
          (run) =>
            this.place(run.at(-1)) >= least &&
            go(less(rest, range(0, width).flatMap(() => run)), at + 1),
        ));
      }
      return known.get(key);
    };
    return go(sorted(cards), 0);
  }

  #highestTop(cards, shapes, at) {
    const places = [...new Set(cards.map((card) => this.place(card)))].sort((a, b) => b - a);
    return places.find((least) =>
      this.#divides(cards, shapes.map((shape, i) => (i === at ? { ...shape, least } : shape))),
    );
  }

  // T-7: the place in `plays` of the one that wins; the first is the lead as it stayed.
  winner(plays) {
    const led = this.suitOf(plays[0][0]);
    const shapes = this.read(plays[0]).map((part) => ({ length: part.cards.length, width: part.width, least: 0 }));
    let best = 0;
    let bestSuit = led;
    for (let at = 1; at < plays.length; at++) {
      const suits = new Set(plays[at].map((card) => this.suitOf(card)));
      if (suits.size > 1) continue;
      const [suit] = suits;
      if ((suit !== led && suit !== TRUMPS) || (suit === led && shapes.length > 1)) continue;
      if (!this.#divides(plays[at], shapes)) continue;
      const wins = suit === bestSuit ? this.#isHigher(plays[at], plays[best], shapes) : suit === TRUMPS;
      if (wins) [best, bestSuit] = [at, suit];
    }
    return best;
  }

  #isHigher(later, standing, shapes) {
    if (shapes.length === 1) return this.#highestTop(later, shapes, 0) > this.#highestTop(standing, shapes, 0);
    const highest = (cards) => Math.max(...cards.map((card) => this.place(card)));
    if (this.compare === "highest") return highest(later) > highest(standing);
    if (this.compare === "largest") return this.#highestTop(later, shapes, 0) > this.#highestTop(standing, shapes, 0);
    const tops = [...shapes];
    for (let at = 0; at < tops.length; at++) {
      tops[at] = { ...tops[at], least: this.#highestTop(standing, tops, at) };
    }
    return this.#divides(later, tops.map((shape) => ({ ...shape, least: shape.least + 1 })));
  }
}
