// From secrets to cards: framing, commitment, root, draws, decks and lots; docs/fairness.md.

import { createHash, createHmac } from "node:crypto";

export const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

// Fields, each behind its length as four bytes; numbers are eight bytes, all big-endian.
export function pack(...fields) {
  const parts = [];
  for (const field of fields) {
    let blob = field;
    if (typeof field === "string") blob = Buffer.from(field, "utf-8");
    else if (typeof field === "number" || typeof field === "bigint") {
      blob = Buffer.alloc(8);
      blob.writeBigUInt64BE(BigInt(field));
    }
    const size = Buffer.alloc(4);
    size.writeUInt32BE(blob.length);
    parts.push(size, blob);
  }
  return Buffer.concat(parts);
}

export const hmac = (key, ...fields) => createHmac("sha256", key).update(pack(...fields)).digest();

// To a table as it was created, less its commitment, and the secret.
export const commitment = (terms, secret) => sha256(pack("croupier/commitment/v2", terms, secret));

export const matchRoot = (secret, tableId, nonces) =>
  hmac(secret, "croupier/root/v1", tableId, ...nonces);

export const fixedRoot = (seed) => hmac(Buffer.from("croupier/fixed/v1"), seed);

// 64-bit numbers, four a block.
export function* draws(key) {
  for (let block = 0; ; block++) {
    const bytes = hmac(key, block);
    for (let at = 0; at < 32; at += 8) yield bytes.readBigUInt64BE(at);
  }
}

// A number below `sides`: draws in the last, incomplete round of `sides` are passed over.
export function below(numbers, sides) {
  const range = 1n << 64n;
  const bound = range - (range % BigInt(sides));
  for (;;) {
    const drawn = numbers.next().value;
    if (drawn < bound) return Number(drawn % BigInt(sides));
  }
}

export function deck(root, deal, attempt, cards) {
  const numbers = draws(hmac(root, "deck", deal, attempt));
  const shuffled = [...cards];
  for (let place = shuffled.length - 1; place > 0; place--) {
    const other = below(numbers, place + 1);
    [shuffled[place], shuffled[other]] = [shuffled[other], shuffled[place]];
  }
  return shuffled;
}

export const lot = (root, deal, sides) => below(draws(hmac(root, "lot", deal)), sides);
