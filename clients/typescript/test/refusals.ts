// Tries a wrong move before each answer of a match, and prints which refusals came.
import { create, enumFromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorReason } from "../gen/croupier/v1/errors_pb";
import { EndReason, GameKindSchema, MoveSchema, type Move } from "../gen/croupier/v1/game_pb";
import { PlayService } from "../gen/croupier/v1/play_service_pb";
import { SeatAccess, ViewMode } from "../gen/croupier/v1/table_pb";
import { TableService } from "../gen/croupier/v1/table_service_pb";
import { patiently, Refused, watch } from "../seat";

// npx tsx test/refusals.ts 127.0.0.1:7422 GAME_KIND_TRACTOR 3
const [address, game, others] = process.argv.slice(2);
const transport = createConnectTransport({ baseUrl: `http://${address}`, httpVersion: "1.1" });
const tables = createClient(TableService, transport);
const play = createClient(PlayService, transport);

/** A move with cards that the hand does not hold. */
function wrongMove(hand: number[]): Move {
  const all = Array.from({ length: 54 }, (_, at) => at + 1);
  const cards = all.filter((card) => !hand.includes(card));
  const arms: Record<string, MessageInitShape<typeof MoveSchema>["game"]> = {
    GAME_KIND_TRACTOR: { case: "tractor",
      value: { move: { case: "play", value: { cards: cards.slice(0, 6) } } } },
    GAME_KIND_TONGITS: { case: "tongits",
      value: { move: { case: "meld", value: { cards: cards.slice(0, 3) } } } },
    GAME_KIND_POKEX: { case: "pokex",
      value: { move: { case: "play", value: { cards: cards.slice(0, 2) } } } },
  };
  return create(MoveSchema, { game: arms[game] });
}

const house = Array(Number(others)).fill({ access: SeatAccess.HOUSE, houseBot: "greedy" });
const spec = { game: enumFromJson(GameKindSchema, game as "GAME_KIND_TRACTOR") };
const { table } = await tables.createTable({ spec, seats: [{}, ...house] });
const tableId = table!.tableId;
const { ticket } = await tables.joinTable({ tableId });
const headers = { "croupier-ticket": ticket };
const send = (decisionId: string, move: Move) => patiently((options) =>
  play.submitMove({ tableId, decisionId, move }, { ...options, headers }));

const seen = new Map<string, string>();
for await (const update of watch(transport, tableId, ticket, ViewMode.FULL)) {
  if (update.case === "decision") {
    const { decisionId, fallback, view } = update.value;
    const wrong = wrongMove(view!.game.value!.hand);
    const error = await send(decisionId, wrong).then(() => undefined, (failure) => failure);
    if (!(error instanceof Refused)) throw new Error(`a wrong move was not refused: ${error}`);
    const { reason, rule, clause, detail } = error.refusal;
    seen.set(ErrorReason[reason], `${rule} ${clause} ${detail}`);
    if (!detail || (reason === ErrorReason.ILLEGAL_MOVE && !(rule && clause))) throw error;
    await send(decisionId, fallback!);
  } else if (update.case === "result") {
    if (!seen.has("ILLEGAL_MOVE")) throw new Error(`no illegal move: ${[...seen.keys()]}`);
    console.log(`END_REASON_${EndReason[update.value.reason]}`, Object.fromEntries(seen));
  }
}
