// Works the examples of tests/vectors/fairness.json out with the second verifier; prints what differs.
//
// node vectors.mjs FILE

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { name, range } from "../../clients/javascript/lib/cards.mjs";
import * as deals from "../../clients/javascript/lib/deals.mjs";
import { Pokex } from "../../clients/javascript/lib/pokex.mjs";
import { MatchRecord } from "../../clients/javascript/lib/schema.mjs";
import { Tongits } from "../../clients/javascript/lib/tongits.mjs";
import { Tractor } from "../../clients/javascript/lib/tractor.mjs";
import { verify } from "../../clients/javascript/lib/verify.mjs";
import { decode, without } from "../../clients/javascript/lib/wire.mjs";

const vectors = JSON.parse(readFileSync(argv[2], "utf-8"));
const bytes = (hex) => Buffer.from(hex, "hex");
const fieldsOf = (fields) =>
  fields.map(({ text, number, hex }) => (hex !== undefined ? bytes(hex) : (text ?? number)));
const cards = new Map(range(1, 55).map((card) => [name(card), card]));
const read = (text) => text.split(" ").map((card) => cards.get(card));
const written = (some) => some.map(name).join(" ");

let compared = 0;
function same(what, found, expected) {
  compared += 1;
  const text = typeof expected === "string" && typeof found !== "string" ? found.toString("hex") : found;
  if (text !== expected) console.log(`${what}: ${text}, not ${expected}`);
}

for (const { fields, hex } of vectors.pack) {
  if (fields.every(({ number }) => number === undefined || number <= Number.MAX_SAFE_INTEGER)) {
    same("pack", deals.pack(...fieldsOf(fields)), hex);
  }
}
for (const { key, fields, hex } of vectors.hmac) same("hmac", deals.hmac(bytes(key), ...fieldsOf(fields)), hex);
for (const { terms, secret, commitment } of vectors.commitment_v2) {
  same("commitment", deals.commitment(bytes(terms), bytes(secret)), commitment);
}
for (const { secret, table_id, nonces, root } of vectors.match_root) {
  same("match root", deals.matchRoot(bytes(secret), table_id, nonces.map(bytes)), root);
}
for (const { seed, root } of vectors.fixed_root) same("fixed root", deals.fixedRoot(BigInt(seed)), root);
for (const { root, commitment } of vectors.board) same("board", deals.sha256(bytes(root)), commitment);
for (const { key, numbers } of vectors.draws) {
  const drawn = deals.draws(bytes(key));
  for (const number of numbers) same("draw", String(drawn.next().value), number);
}
for (const { key, in_turn } of vectors.below) {
  const drawn = deals.draws(bytes(key));
  for (const { sides, number } of in_turn.filter((one) => BigInt(one.sides) < 2n ** 53n)) {
    same("below", String(deals.below(drawn, Number(sides))), number);
  }
}
for (const { pack, root, deal, attempt, deck } of vectors.decks) {
  same("deck", written(deals.deck(bytes(root), deal, attempt, read(vectors.packs[pack]))), deck);
}
for (const { root, deal, sides, lot } of vectors.lots) same("lot", deals.lot(bytes(root), deal, sides), lot);

const tractor = {
  players: "4", packs: "2", kitty_size: "auto", start_levels: "2", starter: "none", mandatory_levels: "none",
  trump_making: "auction",
};
const referees = { tractor: new Tractor(tractor), tongits: new Tongits({ ante: "0" }), pokex: new Pokex({}) };
for (const { game, deck, first, hands, left } of vectors.dealing) {
  const referee = referees[game];
  // In Pokex the dealer is the seat before the one that is dealt to first.
  referee.chance([game === "pokex" ? (first + 3) % 4 : first], referee.wanted());
  referee.chance(read(deck), referee.wanted());
  hands.forEach((hand, seat) => same("hand", written(referee.hands[seat]), hand));
  same("left", written(referee.stock ?? referee.center), left);
}

const record = bytes(vectors.record.hex);
const { rows, hash, table } = decode(MatchRecord, record);
same("hash 0", deals.sha256("croupier/record/v1", table.raw), vectors.record.chain[0]);
rows.forEach((row, at) => same("chain", Buffer.from(row.hash), vectors.record.chain[at + 1]));
same("record", Buffer.from(hash), vectors.record.hash);
same("verified", verify(record).verified, true);

const restarted = verify(bytes(vectors.restarted.hex));
same("restarted", restarted.verified, true);
same("warned", restarted.checks.find(({ name }) => name === "restarts").warning, true);
const again = decode(MatchRecord, bytes(vectors.restarted.hex));
same("terms", without(again.table.raw, 8), vectors.restarted.terms);
console.log(`${compared} compared`);
