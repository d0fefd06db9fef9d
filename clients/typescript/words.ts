// Messages of any game in words, and moves made from patterns, by reflection.
import { clone, type DescField, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reflect, type ReflectList, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import * as game from "./gen/croupier/v1/game_pb";
import { TableEventSchema, type TableEvent } from "./gen/croupier/v1/table_pb";

const spaced = (name: string) => name.toLowerCase().replaceAll("_", " ");
const armOf = (message: ReflectMessage): DescField | undefined =>
  message.oneofs.map((oneof) => message.oneofCase(oneof)).find((field) => field);

/** A card as people write it. */
export const card = (number: number): string => ["black joker", "red joker"][number - 53]
  ?? "23456789TJQKA"[(number - 1) % 13].replace("T", "10")
    + "♠♥♦♣"[Math.floor((number - 1) / 13)];

/** The message in the innermost oneof, such as the `TractorPlay` of a move. */
function innermost(message: ReflectMessage): ReflectMessage {
  const arm = armOf(message);
  return arm?.message ? innermost(message.get(arm) as ReflectMessage) : message;
}

/** The fields that are set, with their values, lists joined. A plain number is set when it is 0. */
function fieldsOf(message: ReflectMessage, joint = " "): [name: string, value: string][] {
  const isNumber = (field: DescField) => field.fieldKind === "scalar" && !field.oneof
    && !field.proto.proto3Optional && /number|bigint/.test(typeof message.get(field));
  return message.fields.filter((field) => message.isSet(field) || isNumber(field))
    .map((field) => [spaced(field.name), valueOf(message, field, joint)]);
}

function valueOf(message: ReflectMessage, field: DescField, joint = " "): string {
  const one = (item: unknown): string => field.message ? `(${words(item as ReflectMessage)})`
    : field.enum?.name === "Card" ? card(item as number)
    : spaced(field.enum?.value[item as number]?.localName ?? String(item));
  const value: unknown = message.get(field);
  if (field.fieldKind !== "list") return one(value);
  return Array.from(value as ReflectList, one).join(field.message ? joint : " ");
}

function words(message: ReflectMessage): string {
  const arm = armOf(message);
  if (!arm) return fieldsOf(message).map(([name, value]) =>
    /^(cards?|plays?)$/.test(name) ? value : `${name} ${value}`).join(", ");
  if (!arm.message) return valueOf(message, arm);
  const inner = message.get(arm) as ReflectMessage;
  return armOf(inner) ? words(inner) : `${spaced(arm.name)} ${words(inner)}`.trim();
}

/** A message on one line; of a oneof what is set, without the name of the game. */
export function say<Type extends DescMessage>(type: Type, message: MessageShape<Type>): string {
  return words(reflect(type, message));
}

/** An event on one line: what happened by the rules, or that something happened to the table. */
export function headline(event: TableEvent): string {
  if (event.event.case === "game") return say(game.GameEventSchema, event.event.value);
  return spaced(armOf(reflect(TableEventSchema, event))?.name ?? "something new");
}

const NOW = ["trump rank", "declaration", "trumps", "wild rank", "center left", "show", "trick",
  "melds", "discards"];
const SCORE = ["levels", "opponents points", "chips", "pot", "totals", "taken"];

/** What everybody sees, a field on each line: what is played now, the score, and the rest. */
export function sections(view: game.SeatView): Record<"now" | "score" | "view", string> {
  const own = innermost(reflect(game.SeatViewSchema, view));
  const field = own.fields.find(({ name }) => name === "public_view")!;
  const fields = fieldsOf(own.get(field) as ReflectMessage, "\n    ");
  const lines = (isShown: (name: string) => boolean) =>
    fields.filter(([name]) => isShown(name)).map((each) => each.join(": ")).join("\n");
  return {
    now: lines((name) => NOW.includes(name)),
    score: lines((name) => SCORE.includes(name)),
    view: lines((name) => ![...NOW, ...SCORE, "order"].includes(name)),
  };
}

/** The move of a pattern with the chosen cards or number: "Any legal move" in docs/protocol.md. */
export function fill({ template, choice }: game.MovePattern, chosen: number[]): game.Move {
  const move = clone(game.MoveSchema, template!);
  const arm = innermost(reflect(game.MoveSchema, move));
  for (const field of arm.fields) {
    if (choice.case === "number" && field.fieldKind === "scalar") arm.set(field, chosen[0]);
    if (choice.case === "cards" && field.fieldKind === "list")
      for (const each of chosen) (arm.get(field) as ReflectList).add(each);
  }
  return move;
}
