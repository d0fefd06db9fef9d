// The smallest bot plays one match against house bots. It answers with each decision's fallback.
import { enumFromJson, toJsonString } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { GameKindSchema, MatchResultSchema } from "./gen/croupier/v1/game_pb";
import { PlayService } from "./gen/croupier/v1/play_service_pb";
import { SeatAccess } from "./gen/croupier/v1/table_pb";
import { TableService } from "./gen/croupier/v1/table_service_pb";

// npx tsx tiny.ts 127.0.0.1:7421 GAME_KIND_TRACTOR 3
const [address, game, others] = process.argv.slice(2);
const transport = createGrpcTransport({ baseUrl: `http://${address}` });
const tables = createClient(TableService, transport);
const play = createClient(PlayService, transport);

const house = { access: SeatAccess.HOUSE, houseBot: "greedy" };
const { table } = await tables.createTable({
  spec: { game: enumFromJson(GameKindSchema, game as "GAME_KIND_TRACTOR") },
  seats: [{}, ...Array(Number(others)).fill(house)],
});
const tableId = table!.tableId;
const headers = { "croupier-ticket": (await tables.joinTable({ tableId })).ticket };
for await (const { update } of play.watchTable({ tableId }, { headers })) {
  if (update?.update.case === "decision") {
    const { decisionId, fallback: move } = update.update.value;
    await play.submitMove({ tableId, decisionId, move }, { headers });
  } else if (update?.update.case === "result") {
    console.log(toJsonString(MatchResultSchema, update.update.value, { alwaysEmitImplicit: true }));
  }
}
