// SPDX-License-Identifier: MIT
// Files that are sent: how far they are, several at once, and that nothing remains of one that is cancelled.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { folderOf } from "../src/api/serving";
import { AFTER, BEFORE, cleared, data, journey, shown, until } from "./browser";

const LARGE_BYTES = 64 << 20;
const SLOW_BYTES_PER_SECOND = 4 << 20;

const folder = folderOf({});
const large = join(folder.path, "large.fxsnapshot");
writeFileSync(large, randomBytes(LARGE_BYTES));
// The server has a folder of its own below this one.
const above = folderOf({});
process.env.TMPDIR = above.path;
// What is registered first is done last.
afterAll(() => {
  folder.remove();
  above.remove();
});
const trip = journey();

/** Bytes of the files that the server has been sent, by now; the browser's own are elsewhere. */
function received(): number[] {
  const [own = ""] = readdirSync(above.path).filter((name) => name.startsWith("ubiheap-serve-"));
  return readdirSync(join(above.path, own)).map((name) => statSync(join(above.path, own, name)).size);
}

/** As if the network were slow: else a file is there before anybody could cancel it. */
async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  await session.send("Network.emulateNetworkConditions", conditions);
}

const heaps = (page: Page) => page.evaluate(async () => ((await (await fetch("/api/1/heaps")).json()) as { heaps: object[] }).heaps.length);

it("an import that is cancelled in the middle leaves nothing, in the list and on the server", async () => {
  const page = await trip.open();
  await page.getByText("Look into a heap").waitFor();
  await slowDown(page, SLOW_BYTES_PER_SECOND);
  await page.locator("input[type=file]").setInputFiles([large, BEFORE]);
  await until(() => page.locator(".snapshot").count()).toBe(2);
  const bar = page.locator(".snapshot").first().getByRole("progressbar");
  await until(async () => Number(await bar.getAttribute("aria-valuenow"))).toBeGreaterThan(5);
  await until(async () => received().length).toBe(1);
  expect(received()[0]).toBeLessThan(LARGE_BYTES);
  expect(await page.locator(".message-detail").textContent()).toMatch(/^sending the file, \d+%$/);
  await page.getByRole("button", { name: "Cancel large" }).click();
  // The other file is not held up.
  await page.getByRole("button", { name: /^tiny-before/ }).click();
  await shown(page, "report-state-saved");
  await until(() =>
    page
      .locator(".snapshot")
      .allTextContents()
      .then((all) => all.length),
  ).toBe(1);
  await until(() => heaps(page)).toBe(1);
  await until(async () => received()).toEqual([statSync(BEFORE).size]);
  await cleared(page);
  await until(() => heaps(page)).toBe(0);
  await until(async () => received()).toEqual([]);
});

it("files of each kind are dropped together, and each has its page", async () => {
  const page = await trip.open();
  await page.getByText("Look into a heap").waitFor();
  const files = [AFTER, data("ubirec/crashed.ubirec"), data("timeline/small.timeline"), data("v8/node20-before.heapsnapshot.gz")];
  await page.locator("input[type=file]").setInputFiles(files);
  await until(() => page.locator(".snapshot").count()).toBe(4);
  await until(() => page.locator('.snapshot[data-state="snapshot-state-read"]').count()).toBe(4);
  await shown(page, "report-state-saved");
  expect(await page.locator(".headline-words h1").textContent()).toBe("tiny-after.fxsnapshot");
  for (const name of ["crashed", "small"]) {
    await page.locator(".snapshot-choose", { hasText: name }).click();
    await until(() => page.locator(".start h1").textContent()).toContain(name);
    expect((await page.locator(".text-page").textContent())?.length).toBeGreaterThan(200);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("menuitem", { name: "Copy the command" }).waitFor();
    await page.keyboard.press("Escape");
    // What only heaps have is not offered.
    expect(await page.locator("#select-view").count()).toBe(0);
    expect(await page.getByRole("link", { name: "Flame graph" }).count()).toBe(name === "crashed" ? 1 : 0);
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: /^For profiler\.firefox\.com/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${name}.profile.json`);
    expect(Object.keys(JSON.parse(readFileSync(await download.path(), "utf-8")) as object)).toContain("meta");
  }
  await page.locator(".snapshot-choose", { hasText: "node20" }).click();
  await page.locator(".headline-size").waitFor();
});
