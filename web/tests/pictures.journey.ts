// SPDX-License-Identifier: MIT
// The pictures of docs/reference/page: each view on a real heap, as `make pictures-web` shows it. Without $UBI_PICTURES, the folder that
// they are written to, it is only seen that there is something to show.
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { folderOf } from "../src/api/serving";
import { data, journey, rows, shown, typeAhead, until, visit } from "./browser";
import { besides } from "./rest";

const BEFORE = data("v8/node20-before.heapsnapshot.gz");
const AFTER = data("v8/node20-after.heapsnapshot.gz");
const trip = journey(BEFORE, AFTER, data("v8/chromium-detached.heapsnapshot.gz"), data("fx/tiny-after.fxsnapshot"));
const WIDTH = 1200;
/** A LeakedThing of the second heap. */
const LEAKED = 81779;
const SOURCE = `class Session { constructor(user) { this.user = user; this.opened = new Date() } }
const sessions = new Map();
function login(user) { sessions.set(user, new Session("user " + user)); }
for (let i = 0; i < 5000; i++) login(i);
setInterval(() => login(sessions.size), 100);
`;
const scripts = folderOf({ "sessions.js": Buffer.from(SOURCE) });
let program: ChildProcess | null = null;
afterAll(() => {
  program?.kill("SIGKILL");
  scripts.remove();
});

/** A picture of a page that has come to rest: another one, a little later, is the same. */
async function pictureAtRest(page: Page): Promise<Buffer> {
  const take = () => page.screenshot({ animations: "disabled", caret: "hide" });
  for (let before = await take(); ; ) {
    await page.waitForTimeout(500);
    await until(() => page.locator(".spinner").count()).toBe(0);
    const now = await take();
    if (now.equals(before)) {
      return now;
    }
    before = now;
  }
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.UBI_PICTURES;
  await page.mouse.move(WIDTH - 1, 0);
  await until(() => page.locator(".spinner").count()).toBe(0);
  expect(await page.locator(".message-error").count()).toBe(0);
  if (folder) {
    writeFileSync(join(folder, `page-${name}.png`), await pictureAtRest(page));
  }
  await page.close();
}

/** Gives a row the focus: a click on what leads elsewhere would leave the view. */
const choose = (row: Locator) => row.click({ position: { x: 30, y: 10 } });
const open = (hash: string, height: number) => trip.open(hash, { width: WIDTH, height });

it("start: a page of Chrome that keeps what it has removed", async () => {
  const page = await open("#/start/h3", 700);
  await shown(page, "report-state-saved");
  await page.getByText("Detached DOM nodes").first().waitFor();
  await picture(page, "start");
});

it("tree map: what fills a page of Firefox", async () => {
  const page = await open("#/tree-map/h4", 620);
  await shown(page, "tree-map-state-saved");
  await page.locator("canvas").waitFor();
  await picture(page, "tree-map");
});

it("aggregate: which functions allocated it", async () => {
  const page = await open("#/census/h4?display=invertedAllocationStack", 560);
  await shown(page, "census-state-saved");
  await page.locator(".frame-function").first().waitFor();
  await choose(page.locator(".tree-row").first());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator('.tree-row[aria-level="2"]').first().waitFor();
  await picture(page, "aggregate");
});

it("individuals: the objects of a row", async () => {
  const page = await open("#/census/h2?filter=LeakedThing", 480);
  await shown(page, "census-state-saved");
  await page.getByRole("button", { name: "Objects of LeakedThing" }).first().click();
  await shown(page, "individuals-state-fetched");
  await choose(page.locator(".tree-row").first());
  await page.locator(".paths svg").waitFor();
  await shown(page, "individuals-state-fetched");
  await picture(page, "individuals");
});

it("summary: classes with what they retain, and the objects of one", async () => {
  const page = await open("#/summary/h2", 560);
  await shown(page, "summary-state-saved");
  await page.locator(".tree-table").focus();
  await typeAhead(page, "leaked", "LeakedThing");
  await page.keyboard.press("ArrowRight");
  await page.locator('.tree-row[aria-level="2"]').first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".paths svg").waitFor();
  await picture(page, "summary");
});

it("dominators: who keeps what, and why it is alive", async () => {
  const page = await open("#/dominators/h2", 620);
  await shown(page, "dominator-tree-state-loaded");
  await choose(page.locator(".tree-row", { hasText: "Function" }).first());
  await page.keyboard.press("Alt+ArrowDown");
  await page.locator(".paths svg").waitFor();
  await shown(page, "dominator-tree-state-loaded");
  await picture(page, "dominators");
});

it("object: one thing that leaks", async () => {
  const page = await open(`#/object/h2/${LEAKED}`, 720);
  await page.locator(".object-head h1", { hasText: "LeakedThing" }).waitFor();
  await page.locator(".paths svg").waitFor();
  await picture(page, "object");
});

it("diff: what there is more of", async () => {
  const page = await open("#/diff/h1/h2", 480);
  await shown(page, "diffing-state-took-diff");
  await page.locator(".tree-row", { hasText: "LeakedThing" }).waitFor();
  expect((await rows(page)).length).toBeGreaterThan(5);
  await picture(page, "diff");
});

it("leaks: what stays between two snapshots, and who holds it", async () => {
  const page = await open("#/leaks/h1,h2", 620);
  await shown(page, "leaks-state-found");
  await page.getByText("What is held").waitFor();
  await picture(page, "leaks");
});

it("settings", async () => {
  const page = await open("#/settings", 600);
  await page.getByLabel("Dark").waitFor();
  await picture(page, "settings");
});

it("snapshots: a program that runs is taken snapshots of", async () => {
  program = spawn(process.env.UBIHEAP ?? "", ["run", "--ui", "--sites", "sessions.js"], {
    cwd: scripts.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const line = await besides(new Promise<string>((resolve) => program?.stderr?.once("data", (data: Buffer) => resolve(data.toString()))));
  const page = await visit(/http:\S+/.exec(line)?.[0] ?? "", { width: WIDTH, height: 560 });
  for (let taken = 1; taken <= 2; taken++) {
    await page.locator("#take-snapshot").click();
    await page
      .locator(".snapshot")
      .nth(taken - 1)
      .waitFor();
    await shown(page, "report-state-saved");
  }
  await page.getByText("Session").first().waitFor();
  await picture(page, "snapshots");
});
