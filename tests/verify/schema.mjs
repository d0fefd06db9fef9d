// Prints the messages that the second verifier knows, from MatchRecord and TableEvent down, as JSON.

import { MatchRecord, TableEvent } from "../../clients/javascript/lib/schema.mjs";

const tell = ({ fields }) =>
  fields.map(({ number, name, mode, oneof, type }) => ({
    number, name, mode, oneof, type: typeof type === "string" ? type : tell(type),
  }));
console.log(JSON.stringify({ MatchRecord: tell(MatchRecord), TableEvent: tell(TableEvent) }));
