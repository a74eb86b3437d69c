// SPDX-License-Identifier: MIT
// A program that runs: its heap is saved, with the stacks that allocated, and looked at.
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folderOf, serve, type Serving } from "../src/api/serving";
import { journey, PATIENCE_MS, rows, shown, until } from "./browser";

const PROGRAM = `class Session {}
const all = [];
function tick() { for (let i = 0; i < 20; i++) all.push(new Session()); setTimeout(tick, 1); }
tick();
`;
const trip = journey();
const folder = folderOf({ "program.js": Buffer.from(PROGRAM) });
let program: ChildProcess;
let live: Serving;

/** What the program says first: where it listens, or why it does not. */
function firstLine(): Promise<string> {
  return new Promise((resolve) => program.stderr?.once("data", (data: Buffer) => resolve(data.toString())));
}

beforeAll(async () => {
  program = spawn(process.env.UBIHEAP ?? "", ["run", "--listen", "0", "program.js"], {
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = /listening on 127\.0\.0\.1:(\d+)/.exec(await firstLine())?.[1];
  live = await serve(process.env.UBIHEAP ?? "", "--no-cache", "--target", `ubi://127.0.0.1:${port}`);
});
afterAll(async () => {
  await live.end();
  program.kill("SIGKILL");
  folder.remove();
});

it("snapshots of a live program are taken, with stacks once these are recorded", async () => {
  const page = await trip.browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(live.url);
  await page.getByRole("button", { name: /^Take a snapshot of/ }).waitFor();
  const recording = page.locator("#record-allocation-stacks-checkbox");
  await recording.click();
  await until(() => recording.isChecked()).toBe(true);
  await until(() => recording.isEnabled()).toBe(true);
  await page.locator("#take-snapshot").click();
  await shown(page, "report-state-saved");
  await page.getByRole("button", { name: "Aggregate" }).click();
  await page.locator("#select-display").selectOption("invertedAllocationStack");
  await page.locator(".frame-function", { hasText: "tick" }).first().waitFor();
  expect((await rows(page)).length).toBeGreaterThan(0);

  program.kill("SIGKILL");
  await page.locator("#take-snapshot").click();
  await page.locator('.snapshot[data-state="snapshot-state-error"]').waitFor();
  await page.locator(".message-error").waitFor();
});
