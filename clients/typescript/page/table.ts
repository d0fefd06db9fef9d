// Makes a table, and prints a link for each seat that a person takes. House bots take the others.
import { enumFromJson, fromJson } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { GameKindSchema, GameOptionsSchema } from "../gen/croupier/v1/game_pb";
import { SeatAccess } from "../gen/croupier/v1/table_pb";
import { TableService } from "../gen/croupier/v1/table_service_pb";
import { patiently, Refused } from "../seat";

function stop(text: string): never {
  console.error(text);
  process.exit(2);
}

const [server, game, people, others, options = "{}"] = process.argv.slice(2);
if (!/^https?:/.test(server) || !/^[1-9]\d?$/.test(people) || !/^\d\d?$/.test(others))
  stop("Usage: npm run -s table http://HOST:WEB_PORT GAME PEOPLE HOUSE_BOTS [OPTIONS]");
const page = process.env.PAGE ?? "http://127.0.0.1:7423/";
const house = { access: SeatAccess.HOUSE, houseBot: "greedy" };
try {
  const tables = createClient(TableService, createConnectTransport({ baseUrl: server }));
  const request = {
    spec: {
      game: enumFromJson(GameKindSchema, game as "GAME_KIND_TRACTOR"),
      options: fromJson(GameOptionsSchema, JSON.parse(options)),
    },
    seats: [
      ...Array(Number(people)).fill({ access: SeatAccess.RESERVED }),
      ...Array(Number(others)).fill(house),
    ],
  };
  const { table, invites } = await patiently((call) => tables.createTable(request, call), stop, 0);
  const links = invites.map(({ code: invite }) =>
    `${page}#${new URLSearchParams({ server, table: table!.tableId, invite })}`);
  console.log(links.join("\n"));
} catch (error) {
  if (error instanceof Refused) stop(`Refused: ${error.message}`);
  if (!(error instanceof ConnectError)) stop((error as Error).message); // wrong game or options
  stop(`No web port of a Croupier server answers at ${server}: ${error.rawMessage}.`);
}
