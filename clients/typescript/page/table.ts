// Makes a table with house bots and a seat for whoever opens the page by the link that is printed.
import { enumFromJson, fromJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { GameKindSchema, GameOptionsSchema } from "../gen/croupier/v1/game_pb";
import { SeatAccess } from "../gen/croupier/v1/table_pb";
import { TableService } from "../gen/croupier/v1/table_service_pb";

// npm run table http://127.0.0.1:7422 GAME_KIND_TRACTOR 3 '{"tractor": {"maxDeals": 1}}'
const [server, game, others, options = "{}"] = process.argv.slice(2);
const page = process.env.PAGE ?? "http://127.0.0.1:7423/";
const house = { access: SeatAccess.HOUSE, houseBot: "greedy" };
const tables = createClient(TableService, createConnectTransport({ baseUrl: server }));
const { table, invites } = await tables.createTable({
  spec: {
    game: enumFromJson(GameKindSchema, game as "GAME_KIND_TRACTOR"),
    options: fromJson(GameOptionsSchema, JSON.parse(options)),
  },
  seats: [{ access: SeatAccess.RESERVED }, ...Array(Number(others)).fill(house)],
});
const link = new URLSearchParams({ server, table: table!.tableId, invite: invites[0].code });
console.log(`${page}#${link}`);
