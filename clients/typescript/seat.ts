// A seat, in Node and in browsers: repeated calls, a stream that survives cuts, and refusals.
import { create } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { ErrorReason, RefusalSchema, type Refusal } from "./gen/croupier/v1/errors_pb";
import { PlayService } from "./gen/croupier/v1/play_service_pb";
import { StreamEndReason, type TableUpdate, type ViewMode } from "./gen/croupier/v1/table_pb";
import { ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb";

/** The server refused something for good. The message is for people; programs go by `refusal`. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal, reason = refusal.rule || ErrorReason[refusal.reason]) {
    super(`${refusal.detail} (${reason})`); // a detail ends with the clause
  }
}

/** The refusal in the details of an error; undefined if no Croupier server gave a reason. */
function refusalOf(error: ConnectError): Refusal | undefined {
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "croupier");
  const retryAfter = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const reason = ErrorReason[info?.reason as keyof typeof ErrorReason]; // undefined: a newer one
  const said = { ...info?.metadata, detail: error.rawMessage };
  return info && create(RefusalSchema, { ...said, reason, retryAfter });
}

/** Waits before the next attempt, longer each time. Throws what another attempt does not cure. */
function attempts(notice: (text: string) => void, patience = 120_000) {
  let [pause, until] = [20, Date.now() + patience]; // milliseconds
  const final = [Code.Unimplemented, Code.ResourceExhausted, Code.Unauthenticated];
  return async (failure: unknown) => {
    const error = ConnectError.from(failure);
    const refusal = failure instanceof Refused ? failure.refusal : refusalOf(error);
    if ((refusal ? !refusal.retryAfter : final.includes(error.code)) || Date.now() >= until)
      throw refusal && !(failure instanceof Refused) ? new Refused(refusal) : failure;
    notice(`${refusal?.detail ?? "No connection to the server"}; trying again.`);
    const wait = refusal?.retryAfter ? durationMs(refusal.retryAfter) : pause;
    await new Promise((resolve) => setTimeout(resolve, wait * (1 + Math.random() / 2)));
    pause = Math.min(2 * pause, 400);
  };
}

/** The answer to a call that may be repeated. Throws `Refused` if it is refused for good. */
export async function patiently<Answer>(call: (options: { timeoutMs: number }) => Promise<Answer>,
  notice: (text: string) => void = console.error, patience?: number): Promise<Answer> {
  for (const failed = attempts(notice, patience); ; )
    try { return await call({ timeoutMs: 30_000 }); } catch (error) { await failed(error); }
}

/** What a seat is sent, to the end of the match. After a cut the stream goes on where it was. */
export async function* watch(transport: Transport, tableId: string, ticket: string,
  viewMode: ViewMode, notice: (text: string) => void = console.error) {
  const play = createClient(PlayService, transport);
  const open = { channel: 1, tableId, ticket, viewMode, tableEpoch: 0, afterSequence: 0 };
  for (let failed = attempts(notice); ; ) {
    const stop = new AbortController();
    const listen = () => setTimeout(() => stop.abort(), 30_000); // three heartbeats
    let silence = listen();
    try {
      for await (const { items } of play.watchTables({ opens: [open] }, { signal: stop.signal })) {
        failed = attempts(notice);
        clearTimeout(silence);
        silence = listen();
        for (const { update, refusal } of items) {
          if (refusal) throw new Refused(refusal);
          const { case: kind, value } = update!.update;
          if (kind === "snapshot") open.tableEpoch = value.table!.tableEpoch;
          if (kind === "snapshot" || kind === "event" || kind === "decision")
            open.afterSequence = value.sequence;
          yield update!.update;
          if (kind !== "end") continue;
          if (value.reason === StreamEndReason.MATCH_ENDED) return;
          const { detail, retryAfter } = value, name = StreamEndReason[value.reason];
          const reason = ErrorReason[name as keyof typeof ErrorReason]; // some are of streams alone
          throw new Refused(create(RefusalSchema, { detail, reason, retryAfter }), name);
        }
      }
      throw new ConnectError("the stream ended without a reason", Code.Unavailable);
    } catch (error) {
      await failed(error);
    } finally {
      clearTimeout(silence);
      stop.abort(); // the caller may have left the loop
    }
  }
}
