// SPDX-License-Identifier: MIT
// What a stranger ran into: a focus that was lost, names that were not seen, files that were others.
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { folderOf, snapshotFile, type NodeFields } from "../src/api/serving";
import { AFTER, BEFORE, journey, shown, start, until, visit } from "./browser";

const DEEP = 30;

/** A chain of objects, each of which keeps the next; their names are long, or turn text. */
function chain(): Buffer {
  const node = (at: number): NodeFields => ({
    ...{ size: 100, type: "JSObject", coarse: 1, className: `Link${at}${"OfAVeryLongChain".repeat(4)}` },
    edges: at < DEEP ? [[100 + at + 1]] : [],
  });
  const links = Array.from({ length: DEEP + 1 }, (_, at): [number, NodeFields] => [100 + at, node(at)]);
  const turned: NodeFields = { size: 50_000, type: "evil\u202etxt.exe", coarse: 0 };
  return snapshotFile(1, [[1, { size: 1, type: "root", edges: [[100], [50]] }], ...links, [50, turned]]);
}

const names = ["one.fxsnapshot", "two.fxsnapshot", "three.fxsnapshot"];
const folder = folderOf({ "chain.fxsnapshot": chain(), ...Object.fromEntries(names.map((name) => [name, chain()])) });
const trip = journey(BEFORE, AFTER, join(folder.path, "chain.fxsnapshot"));
afterAll(() => folder.remove());

const focusedRole = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName);

it("the focus of keys is in what replaces what had it", async () => {
  const page = await trip.open("#/dominators/h1");
  await shown(page, "dominator-tree-state-loaded");
  await page.locator(".tree-table").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".object-head h1").waitFor();
  await until(() => focusedRole(page)).toBe("MAIN");
  await page.evaluate(() => history.back());
  await shown(page, "dominator-tree-state-loaded");
  await until(() => focusedRole(page)).toBe("treegrid");
});

it("the list of snapshots is one stop of Tab; arrows go through it; Delete asks", async () => {
  const page = await trip.open("#/start/h2");
  await shown(page, "report-state-saved");
  await until(() => page.locator(".snapshots ul [tabindex='0']").count()).toBe(1);
  await page.locator(".snapshots ul [tabindex='0']").focus();
  const named = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
  expect(await named()).toContain("tiny-after");
  await page.keyboard.press("ArrowUp");
  expect(await named()).toContain("tiny-before");
  await page.keyboard.press("ArrowRight");
  expect(await named()).toBe("Save tiny-before");
  await page.keyboard.press("ArrowRight");
  expect(await named()).toBe("Delete tiny-before");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Take “tiny-before.fxsnapshot” off the list?").waitFor();
  await page.keyboard.press("Escape");
  await until(() => named()).toBe("Delete tiny-before");
  expect(await page.locator(".snapshot").count()).toBe(3);
  await page.keyboard.press("Tab");
  expect(await named()).toContain("Import files");
});

it("who deletes by keys keeps the place: the neighbour is shown and has the focus, which also follows Ctrl+Down", async () => {
  const copies = names.map((name) => join(folder.path, name));
  const serving = await start(...copies);
  const page = await visit(`${serving.url}#/start/h1`);
  await shown(page, "report-state-saved");
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  const chosen = () => page.locator(".snapshot.selected .snapshot-title").textContent();
  await page.locator(".snapshots ul [tabindex='0']").focus();
  await page.keyboard.press("Control+ArrowDown");
  await until(chosen).toBe("two");
  await until(focusedText).toMatch(/^two/);
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await until(chosen).toBe("three");
  await until(focusedText).toMatch(/^three/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await until(() => page.locator(".snapshot").count()).toBe(1);
  expect(await chosen()).toBe("three");
  await until(focusedText).toMatch(/^three/);
  await page.close();
  await serving.end();
});

it("rows far down have their names in view, with the level's number and the whole name as a tip", async () => {
  const page = await trip.open(`#/dominators/chain.fxsnapshot/${100 + DEEP}`);
  const row = page.locator(".tree-row.focused");
  await until(() => row.getAttribute("aria-level")).toBe(String(DEEP + 2));
  expect(await row.locator(".tree-depth").textContent()).toBe(String(DEEP + 2));
  const [cell, label] = [await row.locator(".tree-cell").last().boundingBox(), await row.locator(".node-label").boundingBox()];
  expect(label?.width).toBeGreaterThan(100);
  expect((label?.x ?? 0) + 100).toBeLessThan((cell?.x ?? 0) + (cell?.width ?? 0));
  expect(await row.locator(".node-label").getAttribute("title")).toContain(`Link${DEEP}${"OfAVeryLongChain".repeat(4)}`);
});

it("names that turn text are written in digits wherever they are", async () => {
  for (const hash of ["#/start/h3", "#/summary/h3", "#/census/h3", "#/dominators/h3", "#/object/h3/50", "#/leaks"]) {
    const page = await trip.open(hash);
    await page.locator("main:not(:has(.spinner))").waitFor();
    if (hash !== "#/leaks") {
      await page.getByText("evil\\u202etxt.exe").first().waitFor();
    }
    expect(await page.evaluate(() => document.documentElement.outerHTML.includes("\u202e"))).toBe(false);
  }
});

it("the address of half a diff keeps its baseline; that of an object of another file of this name is refused", async () => {
  const page = await trip.open("#/diff/tiny-before.fxsnapshot");
  await page.getByText("Choose at the left what “tiny-before” is compared with").waitFor();
  expect(page.url()).toContain("#/diff/tiny-before.fxsnapshot");
  const other = await trip.open("#/object/chain.fxsnapshot/100?of=12-34");
  await other.getByRole("alert").getByText("The address is of another file called “chain.fxsnapshot”").waitFor();
  await shown(other, "report-state-saved");
  expect(await other.locator(".object-head").count()).toBe(0);
});

it("a file that was overwritten is read again by a button; a server that is gone is noticed", async () => {
  const own = folderOf({});
  const file = join(own.path, "app.fxsnapshot");
  copyFileSync(AFTER, file);
  const serving = await start(file);
  copyFileSync(BEFORE, `${file}.new`);
  renameSync(`${file}.new`, file);
  const page = await visit(serving.url);
  await page.getByText("has changed since it was opened").first().waitFor();
  await page.getByRole("button", { name: "Read app.fxsnapshot again" }).click();
  await shown(page, "report-state-saved");
  await until(() => page.locator(".snapshot").first().textContent()).toContain("641 KiB");
  await serving.end("SIGKILL");
  await page.getByRole("button", { name: "Aggregate" }).click();
  await page.getByText("The server does not answer. This page continues").waitFor();
  await page.close();
  own.remove();
});
