// A standby bot waits for hosts to reserve seats for its key, and plays each of them. As an entrant
// of `croupier play` and `croupier ladder` it plays the seats that it is invited to.
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { PlayService } from "./gen/croupier/v1/play_service_pb";
import { SeatAssignmentState, SeatService } from "./gen/croupier/v1/seat_service_pb";
import { ViewMode, type Decision } from "./gen/croupier/v1/table_pb";
import { TableService } from "./gen/croupier/v1/table_service_pb";
import { patiently, Refused, watch } from "./seat";

/** Any of the listed moves. Put your own player here. */
const choose = ({ legal, fallback }: Decision) =>
  legal!.moves.at(Math.random() * legal!.moves.length)?.move ?? fallback;

/** Takes a seat, and plays the match to its end. */
async function sit(transport: Transport, tableId: string,
  place: { seat: number; inviteCode?: string; replaceTicket?: boolean }) {
  const tables = createClient(TableService, transport), play = createClient(PlayService, transport);
  const nonce = randomBytes(32), nonceHash = createHash("sha256").update(nonce).digest();
  const joining = { ...place, tableId, nonceHash, requestId: randomBytes(16).toString("hex") };
  const { ticket } = await patiently((options) => tables.joinTable(joining, options));
  const headers = { "croupier-ticket": ticket };
  async function answer(decision: Decision) {
    for (const move of [choose(decision), decision.fallback]) {
      const request = { tableId, decisionId: decision.decisionId, move };
      try {
        return await patiently((options) => play.submitMove(request, { ...options, headers }));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        console.error(`Refused: ${error.message}`);
      }
    }
  }
  for await (const update of watch(transport, tableId, ticket, ViewMode.FULL)) {
    if (update.case === "decision") await answer(update.value);
    if (update.case === "nonceWanted")
      await patiently((options) => play.openNonce({ tableId, nonce }, { ...options, headers }));
    if (update.case === "result") console.log(tableId, place.seat, update.value.reason);
  }
}

/** Plays the seats of all invitations that come on a pipe, one JSON object a line. */
async function invited(fd: number) {
  const servers = new Map<string, Transport>(), playing: Promise<void>[] = [];
  for await (const line of createInterface({ input: createReadStream("", { fd }) })) {
    const { address, table_id, seat, invite_code: inviteCode } = JSON.parse(line);
    const path = address.startsWith("unix:") ? address.slice(5) : "";
    const baseUrl = path ? "http://localhost" : `http://${address}`;
    const nodeOptions = path ? { createConnection: () => connect(path) } : {};
    if (!servers.has(address)) servers.set(address, createGrpcTransport({ baseUrl, nodeOptions }));
    playing.push(sit(servers.get(address)!, table_id, { seat, inviteCode }).catch(console.error));
  }
  await Promise.all(playing);
  process.exit(); // idle connections would keep the program running
}

/** Plays the seats that hosts reserve for the key, and never returns. */
async function standby(baseUrl: string, key: string) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${key}`);
    return next(request);
  };
  const interceptors = [authorize];
  const transport = createGrpcTransport({ baseUrl, interceptors, pingIntervalMs: 3e4 });
  const seats = createClient(SeatService, transport);
  const playing = new Set<string>(); // seats that are played already
  for (;;) {
    try {
      for await (const { item } of seats.watchSeats({})) {
        if (item.case !== "seat") continue;
        const { table, seat, state } = item.value, place = `${table!.tableId} ${seat}`;
        if (playing.has(place)) continue;
        playing.add(place);
        const replaceTicket = state !== SeatAssignmentState.RESERVED;
        void sit(transport, table!.tableId, { seat, replaceTicket })
          .catch((error) => console.error(place, error)).finally(() => playing.delete(place));
      }
    } catch (error) {
      console.error(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // a stream begins with all seats
  }
}

// CROUPIER_KEY=crp_... npx tsx standby.ts games.example:443, with NODE_EXTRA_CA_CERTS=ca.pem for a
// certificate of your own.
const pipe = process.env.CROUPIER_INVITES_FD;
if (pipe) await invited(Number(pipe));
else await standby(`https://${process.argv[2]}`, process.env.CROUPIER_KEY ?? "");
