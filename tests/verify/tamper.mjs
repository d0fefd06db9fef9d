// Changes bytes of a record and counts what the second verifier still takes for true.
//
// node tamper.mjs random NUMBER FILE: so many times one byte at random, always the same ones.
// node tamper.mjs all NUMBER FILE: every byte, in NUMBER ways.

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { verify } from "../../clients/javascript/lib/verify.mjs";

const [, , how, number, file] = argv;
const bytes = readFileSync(file);
let state = 1;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

let tried = 0;
let verified = 0;
function change(place, mask) {
  const changed = Buffer.from(bytes);
  changed[place] ^= mask;
  tried += 1;
  if (verify(changed).verified) verified += 1;
}

if (how === "random") {
  for (let i = 0; i < Number(number); i++) change(random(bytes.length), 1 + random(255));
} else {
  const masks = [0x01, 0x80, 0xff].slice(0, Number(number));
  for (let place = 0; place < bytes.length; place++) for (const mask of masks) change(place, mask);
}
console.log(`${tried} tried, ${verified} verified`);
