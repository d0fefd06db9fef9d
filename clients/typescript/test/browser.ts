// Plays one deal on the page in Chromium, as a person would, and prints how the match ended.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chromium, type Page } from "playwright-core";

// PAGE=http://127.0.0.1:7423/ npx tsx test/browser.ts connect 127.0.0.1:7422 GAME_KIND_POKEX 3
const [protocol, server, game, others, picture] = process.argv.slice(2);
const deals = {
  GAME_KIND_TRACTOR: '{"tractor": {"maxDeals": 1}}',
  GAME_KIND_TONGITS: '{"tongits": {"maxHands": 1}}',
  GAME_KIND_POKEX: '{"pokex": {"maxDeals": 1}}',
}[game]!;
const table = ["page/table.ts", `http://${server}`, game, others, deals];
process.chdir(`${import.meta.dirname}/..`);
const pageAddress = new URL(process.env.PAGE!).host;
const link = execFileSync("node_modules/.bin/tsx", table, { encoding: "utf8" }).trim();

function expect(text: string | null, part: string) {
  if (!text?.includes(part)) throw new Error(`expected ${part} in ${text}`);
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
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
});
try {
  const tab = await browser.newPage();
  const errors: Error[] = [];
  tab.on("pageerror", (error) => errors.push(error));
  await tab.goto(`${link}&protocol=${protocol}`);
  await tab.getByLabel("Your name").fill("Ada");
  await tab.getByRole("button", { name: "Sit down" }).click();
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
    if (picture && answers < 12) await tab.screenshot({ path: picture, fullPage: true });
    if (answers === 3) await tab.reload();
    else await answer(tab, answers);
  }
} finally {
  await browser.close();
  files.kill();
}
