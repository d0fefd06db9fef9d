// Plays one seat by hand. Which one is in the link; key and ticket are sent in headers alone.
import { equals } from "@bufbuild/protobuf";
import { ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { ErrorReason } from "../gen/croupier/v1/errors_pb";
import * as game from "../gen/croupier/v1/game_pb";
import { PlayService, type GetSeatViewResponse } from "../gen/croupier/v1/play_service_pb";
import { PlayerKind, ViewMode, type Decision } from "../gen/croupier/v1/table_pb";
import { TableService } from "../gen/croupier/v1/table_service_pb";
import { patiently, Refused, watch } from "../seat";
import { card, fill, headline, say, sections } from "../words";

const link = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const tableId = link.table ?? "";
const headers = JSON.parse(sessionStorage.getItem(tableId) ?? "{}"); // kept for a reload
const withHeaders: Interceptor = (next) => (request) => {
  for (const name in headers) request.header.set(name, headers[name]);
  return next(request);
};
const protocol = link.protocol === "grpc-web" ? createGrpcWebTransport : createConnectTransport;
const transport = protocol({ baseUrl: link.server, interceptors: [withHeaders] });
const play = createClient(PlayService, transport), tables = createClient(TableService, transport);

const byId = (id: string): any => document.getElementById(id);
const notice = (text: string) => { byId("notice").textContent = text; };
const explain = (error: unknown) => notice(error instanceof Refused ? `Refused: ${error.message}`
  : `This page cannot talk to ${link.server}: ${ConnectError.from(error).rawMessage}. That must be `
    + `the web port of a running server whose --web-origins names ${location.origin}.`);
const lost = (error: unknown) => {
  explain(error);
  const reason = error instanceof Refused ? ErrorReason[error.refusal.reason] : "";
  if (!/TICKET|UNAUTHENTICATED/.test(reason)) return;
  sessionStorage.removeItem(tableId); // the ticket does not hold the seat any more
  [byId("sit").hidden, byId("table").hidden] = [false, true];
};
let order: number[] = []; // in Tractor, all cards by suit and strength, trumps last
const sorted = (cards: number[]) => cards.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
const element = (tag: string, properties: object, ...inside: (string | Node)[]) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};

async function send(decisionId: string, move: game.Move) {
  byId("moves").disabled = true;
  const request = { tableId, decisionId, move };
  await patiently((options) => play.submitMove(request, options), notice).then(() => notice(""),
    (error) => { explain(error); byId("moves").disabled = false; });
  await refresh().catch(lost);
}

function choices(decisionId: string, pattern: game.MovePattern) {
  const { case: kind, value } = pattern.choice;
  if (!kind) return "";
  const wanted = value.min === value.max ? `${value.min}` : `${value.min} to ${value.max}`;
  const inputs = kind === "number"
    ? [element("input", { type: "number", name: "choice", ...value, value: value.min })]
    : sorted(value.pool).map((each) => element("label", {},
      element("input", { type: "checkbox", name: "choice", value: each }), card(each)));
  const form = element("form", {}, `${say(game.MoveKindSchema, pattern.kind!)}: choose ${wanted} `,
    element("div", {}, ...inputs), element("button", {}, "Play this choice"));
  form.onsubmit = (event) => {
    event.preventDefault();
    const chosen = new FormData(form as HTMLFormElement).getAll("choice").map(Number);
    if (kind === "cards" && (chosen.length < value.min || chosen.length > value.max))
      notice(`Choose ${wanted} cards. You have chosen ${chosen.length}.`);
    else send(decisionId, fill(pattern, chosen));
  };
  return form;
}

function offer(decision?: Decision) {
  const { decisionId = "none", legal, fallback } = decision ?? {};
  if (byId("moves").name === decisionId) return; // a choice may be half made
  const button = (label: string, move: game.Move) => element("button",
    { onclick: () => send(decisionId, move) }, label + say(game.MoveSchema, move));
  byId("moves").replaceChildren(...(fallback ? [button("Suggested: ", fallback)] : []),
    ...(legal?.moves ?? []).map(({ move }) => move!)
      .filter((move) => !equals(game.MoveSchema, move, fallback!)).map((move) => button("", move)),
    ...(legal?.patterns ?? []).map((pattern) => choices(decisionId, pattern)));
  Object.assign(byId("moves"), { disabled: false, name: decisionId });
}

function show({ snapshot, decision }: GetSeatViewResponse) {
  const { seats, result, spec } = snapshot!.table!;
  const name = (seat: number) => `${seats[seat].player?.displayName ?? "nobody"} (seat ${seat})`;
  if (snapshot!.view.case !== "seatView") return;
  const { publicView, hand, seat } = snapshot!.view.value.game.value!;
  if ("order" in publicView!) order = publicView.order.flatMap(({ cards }) => cards);
  offer(decision);
  const toAct = publicView!.toAct === undefined ? "The table" : name(publicView!.toAct);
  for (const [id, text] of Object.entries(sections(snapshot!.view.value)))
    byId(id).textContent = text;
  byId("title").textContent = spec!.title || `Croupier: ${snapshot!.view.value.game.case}`;
  byId("turn").textContent = result ? `The match has ended: ${game.EndReason[result.reason]}`
    : decision ? `Your turn: ${say(game.DecisionKindSchema, decision.kind!)}` : `${toAct} acts now`;
  byId("hand").replaceChildren(...sorted(hand).map((each) => element("span", {}, card(each))));
  const outcome = (of?: game.SeatOutcome) => of ? `: place ${of.place}, score ${of.score}` : "";
  byId("seats").textContent = `You are ${name(seat)}. At the table: ` + seats.map((each) =>
    `${name(each.seat)}, team ${each.team}${outcome(result?.seats[each.seat])}`).join("; ");
}

let latest = Promise.resolve(); // one question at a time, so that no older view comes last
const refresh = () => latest = latest.then(async () =>
  show(await patiently((options) => play.getSeatView({ tableId }, options), notice)));

async function follow() {
  [byId("sit").hidden, byId("table").hidden] = [true, false];
  const updates = watch(transport, tableId, headers["croupier-ticket"], ViewMode.EVENTS, notice);
  for await (const update of updates) {
    if (update.case === "snapshot" || update.case === "resumed") notice("");
    if (update.case === "event") byId("events").prepend(element("li", {}, headline(update.value)));
    byId("events").children[8]?.remove();
    await refresh();
  }
}

async function sit() {
  if (byId("key").value) headers.authorization = `Bearer ${byId("key").value}`;
  const player = { displayName: byId("name").value, kind: PlayerKind.HUMAN, version: "page/0.1" };
  const request = { requestId: crypto.randomUUID(), tableId, inviteCode: link.invite, player };
  const joined = await patiently((options) => tables.joinTable(request, options), notice, 2_000);
  headers["croupier-ticket"] = joined.ticket;
  sessionStorage.setItem(tableId, JSON.stringify(headers));
  delete link.invite; // it would give the seat to whoever is sent the link
  history.replaceState(null, "", `#${new URLSearchParams(link)}`);
  await follow().catch(lost);
}

byId("server").textContent = link.server;
addEventListener("hashchange", () => location.reload()); // the link of another table
byId("sit").onsubmit = (event: Event) => { event.preventDefault(); sit().catch(explain); };
if (!tableId || !/^https?:/.test(link.server))
  notice("Open this page by the link of a table. The README says how to make one.");
else if (headers["croupier-ticket"]) follow().catch(lost);
