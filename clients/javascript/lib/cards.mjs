// Cards as numbers 1 to 54: 13 spades from 2 to ace, hearts, diamonds, clubs, black and red joker.

export class Wrong extends Error {}

export const BLACK_JOKER = 53;
export const RED_JOKER = 54;
export const isJoker = (card) => card >= BLACK_JOKER;

// Spades 0, hearts 1, diamonds 2, clubs 3; a joker has none.
export const suitOf = (card) => (isJoker(card) ? -1 : Math.floor((card - 1) / 13));

// 2 to 14, the ace high; a joker has none.
export const rankOf = (card) => (isJoker(card) ? 0 : ((card - 1) % 13) + 2);

export const cardOf = (suit, rank) => 13 * suit + rank - 1;
export const sorted = (cards) => [...cards].sort((a, b) => a - b);
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
export const range = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

export function name(card) {
  if (isJoker(card)) return card === RED_JOKER ? "RJ" : "BJ";
  return "23456789TJQKA"[rankOf(card) - 2] + "SHDC"[suitOf(card)];
}

// `hand` less `cards`; every one of them must be in it.
export function less(hand, cards, who = "a hand") {
  const rest = [...hand];
  for (const card of cards) {
    const at = rest.indexOf(card);
    if (at < 0) throw new Wrong(`${who} does not hold ${name(card)}`);
    rest.splice(at, 1);
  }
  return rest;
}

export function copies(cards) {
  const found = new Map();
  for (const card of cards) found.set(card, (found.get(card) ?? 0) + 1);
  return found;
}

export function must(holds, message) {
  if (!holds) throw new Wrong(message);
}
