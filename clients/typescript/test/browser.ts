// Plays one deal on the page in Chromium, as a person would, and prints how the match ended.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chromium, type Page } from "playwright-core";

// PAGE=http://127.0.0.1:7423/ npx tsx test/browser.ts connect 127.0.0.1:7422 GAME_KIND_POKEX 3
const [protocol, server, game, others, picture] = process.argv.slice(2);
const deals = {
  GAME_KIND_TRACTOR: '{"tractor": {"maxDeals": 1}}',
  GAME_KIND_TONGITS: '{"tongits": {"maxHands": 1}}',
  GAME_KIND_POKEX: '{"pokex": {"maxDeals": 1}}',
}[game]!;
process.chdir(`${import.meta.dirname}/..`);
const pageAddress = new URL(process.env.PAGE!).host;

/** What the command that makes tables prints. */
function table(status: number, ...given: string[]): string {
  const command = ["page/table.ts", ...given];
  const done = spawnSync("node_modules/.bin/tsx", command, { encoding: "utf8" });
  if (done.status === status) return (status ? done.stderr : done.stdout).trim();
  throw new Error(`exit status ${done.status}, not ${status}: ${done.stderr}`);
}

function expect(text: string | null, part: string) {
  if (!text?.includes(part)) throw new Error(`expected ${part} in ${text}`);
}

/** Checks that each move is offered once, what is played is in sight, and trumps are last. */
async function look(tab: Page) {
  const moves = await tab.locator("#moves > button").allTextContents();
  const different = new Set(moves.map((move) => move.replace("Suggested: ", "")));
  if (different.size < moves.length) throw new Error(`a move is offered twice: ${moves}`);
  const shown = await tab.locator("#now").boundingBox();
  if (shown!.y + shown!.height > 720) throw new Error("what is played is out of sight");
  // The hand is read last: should a view come in between, it has the trumps that were read.
  const areTrumpsFixed = (await tab.textContent("#now"))!.includes("trumps: ");
  const hand = (await tab.locator("#hand span").allTextContents()).join(" ");
  if (areTrumpsFixed && /2.*[013-9AJQK]/.test(hand)) throw new Error(`not in order: ${hand}`);
}

async function sitDown(link: string, name = "Ada"): Promise<Page> {
  const tab = await browser.newPage();
  tab.on("pageerror", (error) => errors.push(error));
  await tab.goto(`${link}&protocol=${protocol}`);
  await tab.getByLabel("Your name").fill(name);
  await tab.getByRole("button", { name: "Sit down" }).click();
  return tab;
}

/** Seats two people at a table, and reads what is said to those who are refused. */
async function checkRefusals() {
  expect(table(2), "Usage: ");
  expect(table(2, process.env.PAGE!, game, "1", others), "No web port");
  const links = table(0, `http://${server}`, game, "2", `${Number(others) - 1}`, deals).split("\n");
  const [ada] = [await sitDown(links[0]), await sitDown(links[1], "Bob")];
  await ada.locator("#seats:has-text('Bob (seat 1)')").waitFor();
  await sitDown(links[0]);
  await ada.locator("#notice:has-text('Refused: '):has-text('TICKET_SUPERSEDED')").waitFor();
  await ada.getByRole("button", { name: "Sit down" }).waitFor();
  const changed = links[0].replace(/table=\w+/, "table=none");
  await (await sitDown(changed)).locator("#notice:has-text('NOT_FOUND')").waitFor();
  const elsewhere = links[0].replace(/server=[^&]+/, `server=${process.env.PAGE}`);
  await (await sitDown(elsewhere)).locator("#notice:has-text('--web-origins')").waitFor();
}

/** Makes a choice if there is one to make, after trying to make none; else takes a listed move. */
async function answer(tab: Page, answers: number) {
  const form = tab.locator("#moves form").first();
  const buttons = tab.locator("#moves > button");
  if (!(await form.count())) return buttons.nth(answers % (await buttons.count())).click();
  const boxes = form.getByRole("checkbox");
  await form.getByRole("button").click();
  if (!(await boxes.count())) return;
  expect(await tab.textContent("#notice"), "You have chosen 0.");
  const [fewest] = /\d+/.exec(await form.innerText())!;
  for (let at = 0; at < Number(fewest); at++) await boxes.nth(at).check();
  await form.getByRole("button").click();
}

const files = spawn("node_modules/.bin/esbuild", [`--serve=${pageAddress}`, "--servedir=dist"]);
await once(files.stderr, "data"); // it says where it listens, or why it does not
const errors: Error[] = [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
});
try {
  await checkRefusals();
  const tab = await sitDown(table(0, `http://${server}`, game, "1", others, deals));
  for (let answers = 0; ; answers++) {
    await tab.locator("#turn:has-text('has ended'), #moves:enabled button").first().waitFor();
    const turn = await tab.textContent("#turn");
    if (turn!.includes("has ended")) {
      expect(turn, "FINISHED");
      expect(tab.url(), "table=");
      if (tab.url().includes("invite=")) throw new Error("the address still holds the invite");
      if (errors.length) throw errors[0];
      console.log(`END_REASON_FINISHED after ${answers} answers`);
      break;
    }
    await look(tab);
    if (picture && answers < 12) await tab.screenshot({ path: picture, fullPage: true });
    if (answers === 3) await tab.reload();
    else await answer(tab, answers);
  }
} finally {
  await browser.close();
  files.kill();
}
