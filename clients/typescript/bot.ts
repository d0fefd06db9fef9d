// A complete bot plays one match with listed moves at random. It survives cuts and reads refusals.
import { enumFromJson, toJsonString } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createHash, randomBytes } from "node:crypto";
import { GameKindSchema, MatchResultSchema } from "./gen/croupier/v1/game_pb";
import { PlayService } from "./gen/croupier/v1/play_service_pb";
import { PlayerKind, SeatAccess, ViewMode, type Decision } from "./gen/croupier/v1/table_pb";
import { TableService } from "./gen/croupier/v1/table_service_pb";
import { patiently, Refused, watch } from "./seat";

const [address, game, others] = process.argv.slice(2); // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
const baseUrl = address.includes("://") ? address : `http://${address}`;
const key = process.env.CROUPIER_KEY;
const authorize: Interceptor = (next) => (request) => {
  if (key) request.header.set("authorization", `Bearer ${key}`);
  return next(request);
};
const transport = createGrpcTransport({ baseUrl, interceptors: [authorize], pingIntervalMs: 3e4 });
const tables = createClient(TableService, transport);
const play = createClient(PlayService, transport);

// Three, because a table that waits in vain for a nonce starts again at most twice.
const nonces = [randomBytes(32), randomBytes(32), randomBytes(32)];
const hashes = nonces.map((nonce) => createHash("sha256").update(nonce).digest());
const [creation, joining] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];

const spec = { game: enumFromJson(GameKindSchema, game as "GAME_KIND_TRACTOR") };
const house = Array(Number(others)).fill({ access: SeatAccess.HOUSE, houseBot: "greedy" });
const { table } = await patiently((options) =>
  tables.createTable({ requestId: creation, spec, seats: [{}, ...house] }, options));
const tableId = table!.tableId;
const player = { displayName: "random", kind: PlayerKind.BOT, version: "croupier-typescript/0.1" };
const { ticket } = await patiently((options) =>
  tables.joinTable({ requestId: joining, tableId, nonceHash: hashes[0], player }, options));
const headers = { "croupier-ticket": ticket };

async function answer({ decisionId, legal, fallback }: Decision) {
  const chosen = legal!.moves.at(Math.random() * legal!.moves.length)?.move ?? fallback;
  for (const move of [chosen, fallback]) {
    const request = { tableId, decisionId, move };
    try {
      return await patiently((options) => play.submitMove(request, { ...options, headers }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      console.error(`Refused: ${error.message}`);
      if (!error.refusal.rule) return; // not an illegal move: the decision is over
    }
  }
}

let [events, last] = [0, 0];
for await (const update of watch(transport, tableId, ticket, ViewMode.EVENTS)) {
  if (update.case === "snapshot") [events, last] = [update.value.sequence, update.value.sequence];
  if (update.case === "event") [events, last] = [events + 1, update.value.sequence];
  if (update.case === "decision") await answer(update.value);
  if (update.case === "nonceWanted") {
    const at = hashes.findIndex((hash) => hash.equals(update.value.nonceHash));
    const request = { tableId, nonce: nonces[at], nextNonceHash: hashes[at + 1] };
    await patiently((options) => play.openNonce(request, { ...options, headers }));
  }
  if (update.case !== "result") continue;
  const result = toJsonString(MatchResultSchema, update.value);
  console.log(`result: ${result} table: ${tableId} events: ${events} last: ${last}`);
}
