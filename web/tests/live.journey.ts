// SPDX-License-Identifier: MIT
// A program that runs: its heap is saved, with the stacks that allocated, and looked at.
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folderOf, type Serving } from "../src/api/serving";
import { rows, shown, start, until, visit } from "./browser";
import { besides } from "./rest";

const PROGRAM = `class Session {}
const all = [];
function tick() { for (let i = 0; i < 20; i++) all.push(new Session()); setTimeout(tick, 1); }
tick();
`;
const folder = folderOf({ "program.js": Buffer.from(PROGRAM) });
let program: ChildProcess;
let live: Serving;

/** Starts the program with options of `ubiheap run`: it, and what it says first, such as where it listens, or why it does not. */
async function run(...options: string[]): Promise<[ChildProcess, string]> {
  const running = spawn(process.env.UBIHEAP ?? "", ["run", ...options, "program.js"], {
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return [running, await new Promise((resolve) => running.stderr.once("data", (data: Buffer) => resolve(data.toString())))];
}

beforeAll(async () => {
  const [running, line] = await run("--listen", "0");
  program = running;
  const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
  live = await start("--target", `ubi://127.0.0.1:${port}`);
});
afterAll(async () => {
  await live.end();
  program.kill("SIGKILL");
  folder.remove();
});

it("snapshots of a live program are taken, with stacks once these are recorded", async () => {
  const page = await visit(live.url);
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

it("a program has a page of its own, as long as it is not ended", async () => {
  const [running, line] = await run("--ui");
  const address = /http:\S+/.exec(line)?.[0] ?? "";
  const page = await visit(address);
  await page.getByRole("button", { name: "Take a snapshot of program.js" }).click();
  await shown(page, "report-state-saved");
  await page.getByText("Session").first().waitFor();
  running.kill("SIGINT");
  await besides(new Promise((resolve) => running.once("exit", resolve)));
  await page.getByText("The server does not answer").waitFor();
});
