// A strict reader of the Protobuf wire format: one way to write a message, and no other is read.
//
// Fields come in the order of their numbers, numbers in as few bytes as they need, nothing that is
// not set is written, and nothing is unknown.

export class WireError extends Error {}

// Messages, texts and byte strings in one file. Long matches have a tenth of that.
const PARTS_MAX = 1 << 20;

// Parts that a file may still have. What is decoded of one file shares one budget, so that time and
// memory are bounded: two bytes of a file are enough for an object here.
export class Budget {
  #left = PARTS_MAX;

  spend() {
    this.#left -= 1;
    if (this.#left < 0) throw new WireError(`more than ${PARTS_MAX} parts`);
  }
}

const text = new TextDecoder("utf-8", { fatal: true });

class Reader {
  constructor(bytes, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  // A number below 2 ** 64, as a plain number where it is safe, else a BigInt.
  varint() {
    if (this.at < this.end && this.bytes[this.at] < 128) return this.bytes[this.at++];
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.at >= this.end) throw new WireError("a number is cut off");
      const byte = this.bytes[this.at++];
      if (shift === 63n && byte > 1) throw new WireError("a number is too large");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) {
        if (byte === 0 && shift > 0n) throw new WireError("a number has more bytes than it needs");
        return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
      }
    }
  }

  slice() {
    const size = this.varint();
    if (typeof size !== "number" || this.at + size > this.end) {
      throw new WireError("a field is cut off");
    }
    this.at += size;
    return [this.at - size, this.at];
  }
}

const numbers = new Set(["uint", "bool", "enum", "sint", "int"]);

function number(type, value) {
  if (type === "bool") {
    if (value !== 1 && value !== 0) throw new WireError("a truth value is neither 0 nor 1");
    return value === 1;
  }
  if (type === "int" && value > Number.MAX_SAFE_INTEGER) {
    return Number(BigInt.asIntN(64, BigInt(value)));
  }
  if (type !== "sint") return value;
  const whole = BigInt(value);
  return Number((whole >> 1n) ^ -(whole & 1n));
}

function blank(schema) {
  const message = {};
  for (const { name, type, mode } of schema.fields) {
    if (mode === "many") message[name] = [];
    else if (mode === "one") {
      message[name] = numbers.has(type) ? (type === "bool" ? false : 0) : type === "string" ? "" : new Uint8Array();
    }
  }
  return message;
}

// The message of `schema` in bytes `start` to `end`; `raw` is where it stood.
export function decode(schema, bytes, start = 0, end = bytes.length, budget = new Budget()) {
  budget.spend();
  const reader = new Reader(bytes, start, end);
  const message = blank(schema);
  let last = 0;
  let arm = "";
  while (reader.at < end) {
    const tag = reader.varint();
    const field = schema.byNumber.get(Math.floor(Number(tag) / 8));
    if (field === undefined) throw new WireError(`an unknown field in ${schema.name}`);
    const repeats = field.mode === "many" && !numbers.has(field.type);
    if (field.number < last || (field.number === last && !repeats)) {
      throw new WireError(`fields of ${schema.name} are not in their order`);
    }
    last = field.number;
    if (field.oneof) {
      if (arm) throw new WireError(`${schema.name} is two things at once`);
      arm = field.name;
    }
    read(message, field, reader, Number(tag) % 8, budget);
  }
  if (reader.at !== end) throw new WireError(`${schema.name} does not end where it should`);
  Object.defineProperty(message, "raw", { value: bytes.subarray(start, end) });
  Object.defineProperty(message, "arm", { value: arm });
  return message;
}

function read(message, field, reader, wireType, budget) {
  const { name, type, mode } = field;
  const isNumber = numbers.has(type) && mode !== "many";
  if (wireType !== (isNumber ? 0 : 2)) throw new WireError(`${name} is of another type`);
  if (isNumber) {
    const value = number(type, reader.varint());
    if (mode === "one" && !value) throw new WireError(`${name} is written although it is zero`);
    message[name] = value;
    return;
  }
  const [start, end] = reader.slice();
  if (numbers.has(type)) {
    if (start === end) throw new WireError(`${name} is written although it is empty`);
    const packed = new Reader(reader.bytes, start, end);
    while (packed.at < end) message[name].push(number(type, packed.varint()));
    return;
  }
  const value = whole(type, reader.bytes, start, end, budget);
  if (mode === "one" && start === end) throw new WireError(`${name} is written although it is empty`);
  if (mode === "many") message[name].push(value);
  else message[name] = value;
}

function whole(type, bytes, start, end, budget) {
  if (typeof type !== "string") return decode(type, bytes, start, end, budget);
  budget.spend();
  if (type === "bytes") return bytes.subarray(start, end);
  try {
    return text.decode(bytes.subarray(start, end));
  } catch {
    throw new WireError("a text is not UTF-8");
  }
}

// The fields of a message in `raw` but for that of one number, as they stood.
export function without(raw, number) {
  const reader = new Reader(raw);
  const parts = [];
  while (reader.at < raw.length) {
    const start = reader.at;
    const tag = reader.varint();
    if (tag % 8 === 2) reader.slice();
    else reader.varint();
    if (Math.floor(tag / 8) !== number) parts.push(raw.subarray(start, reader.at));
  }
  return Buffer.concat(parts);
}

// A schema from lines such as "1 table_id string", "5 rows many Row", "*2 move MoveInput". Modes:
// none (left out when zero), opt, many; a star marks the arms of the message's oneof.
export function schemas(source) {
  const found = new Map();
  for (const block of source.trim().split(/\n\s*\n/)) {
    const [name, ...lines] = block.trim().split("\n").map((line) => line.trim());
    const fields = lines.map((line) => {
      const parts = line.split(/\s+/);
      const oneof = parts[0].startsWith("*");
      const mode = ["opt", "many"].includes(parts[2]) ? parts[2] : oneof ? "opt" : "one";
      return { number: Number(parts[0].replace("*", "")), name: parts[1], mode, oneof, type: parts.at(-1) };
    });
    found.set(name, { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) });
  }
  for (const schema of found.values()) {
    for (const field of schema.fields) {
      if (found.has(field.type)) {
        field.type = found.get(field.type);
        if (field.mode === "one") field.mode = "opt";
      } else if (!numbers.has(field.type) && !["bytes", "string"].includes(field.type)) {
        throw new Error(`no type ${field.type}`);
      }
    }
  }
  return found;
}
