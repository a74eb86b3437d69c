// SPDX-License-Identifier: MIT
// Two programs that run: one of them is chosen, records stacks as it is told to, and is saved.
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folderOf, type Serving } from "../src/api/serving";
import type { LiveTarget } from "../src/types/heap";
import { shown, start, until, visit } from "./browser";

const PROGRAM = `class Session {}
const all = [];
function tick() { for (let i = 0; i < 20; i++) all.push(new Session()); setTimeout(tick, 1); }
tick();
`;
const folder = folderOf({ "program.js": Buffer.from(PROGRAM) });
const programs: ChildProcess[] = [];
let live: Serving;

/** The address of a program that was begun. */
async function begun(): Promise<string> {
  const program = spawn(process.env.UBIHEAP ?? "", ["run", "--listen", "0", "program.js"], {
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  programs.push(program);
  const line = await new Promise<string>((resolve) => program.stderr?.once("data", (data: Buffer) => resolve(data.toString())));
  return `ubi://127.0.0.1:${/listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]}`;
}

beforeAll(async () => {
  const addresses = [await begun(), await begun()];
  live = await start(...addresses.flatMap((address) => ["--target", address]));
});
afterAll(async () => {
  await live.end();
  programs.forEach((program) => program.kill("SIGKILL"));
  folder.remove();
});

async function targets(): Promise<LiveTarget[]> {
  const response = await fetch(`${live.base}/api/1/targets`, { headers: { Authorization: `Bearer ${live.token}` } });
  return ((await response.json()) as { targets: LiveTarget[] }).targets;
}

it("one of several programs is chosen, records a part of its stacks, and is saved", async () => {
  const page = await visit(live.url);
  const group = page.getByRole("radiogroup", { name: "Snapshots are taken of" });
  await until(() => group.getByRole("radio").count()).toBe(2);
  const [, second] = await targets();
  await group.getByText(second?.name ?? "").click();
  await page.getByText("How stacks are recorded").click();
  await page.getByLabel("Objects in a hundred").fill("25");
  await page.getByLabel("Allocations in its log, at most").fill("700");
  const recording = page.locator("#record-allocation-stacks-checkbox");
  await recording.click();
  await until(() => recording.isChecked()).toBe(true);
  await until(async () => (await targets()).map((one) => one.recording.isOn)).toEqual([false, true]);
  expect((await targets())[1]?.recording).toEqual({ isOn: true, probability: 0.25, maxLogLength: 700 });
  await until(() => page.getByLabel("Objects in a hundred").isDisabled()).toBe(true);
  await group.getByText("records stacks").waitFor();

  await page.locator("#take-snapshot").click();
  await shown(page, "report-state-saved");
  expect((await targets()).map((one) => one.link)).toEqual(["idle", "connected"]);
  await group.getByRole("radio").first().check();
  await until(() => recording.isChecked()).toBe(false);

  // A program that is gone says so; the other one is there as before.
  programs[1]?.kill("SIGKILL");
  await group.getByRole("radio").nth(1).check();
  await page.locator("#take-snapshot").click();
  await page.locator(".message-error").waitFor();
  await page.locator(".target .snapshot-error").waitFor();
  await group.getByRole("radio").first().check();
  await page.locator("#take-snapshot").click();
  await shown(page, "report-state-saved");
});
