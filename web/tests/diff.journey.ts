// SPDX-License-Identifier: MIT
// What changed between two snapshots, by class: which objects are new, and which are gone.
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { folderOf, snapshotFile, type NodeFields } from "../src/api/serving";
import { AFTER, BEFORE, data, filled, journey, rows, shown, typeAhead, until } from "./browser";

const trip = journey(BEFORE, AFTER);
const v8 = journey(data("v8/node20-before.heapsnapshot.gz"), data("v8/node20-after.heapsnapshot.gz"));

const strangers = journey(data("v8/node20-before.heapsnapshot.gz"), data("v8/chromium-alloc.heapsnapshot.gz"));

/** A program that has made many objects between two snapshots. */
function objects(count: number): Buffer {
  const node = (className: string, size: number, ids: number[]): NodeFields => {
    return { size, type: "JSObject", coarse: 1, className, edges: ids.map((id) => [id]) };
  };
  const ids = Array.from({ length: count }, (_, at) => 100_000 + 8 * at);
  const lists = Array.from({ length: Math.ceil(count / 10_000) }, (_, at) => ids.slice(at * 10_000, (at + 1) * 10_000));
  const root: NodeFields = { size: 8, type: "root", edges: lists.map((_, at) => [2 + at]) };
  return snapshotFile(1, [
    [1, root],
    ...lists.map((list, at): [number, NodeFields] => [2 + at, node("Array", 1000, list)]),
    ...ids.map((id): [number, NodeFields] => [id, node("Session", 1000, [])]),
  ]);
}

const folder = folderOf({ "few.fxsnapshot": objects(1000), "many.fxsnapshot": objects(124_456) });
afterAll(() => folder.remove());
const many = journey(`${folder.path}/few.fxsnapshot`, `${folder.path}/many.fxsnapshot`);

/** Cells of one of the two tables. */
const table = (page: Page, label: string) => page.getByRole("treegrid", { name: label, exact: true });
const CLASSES = "Classes that changed";

async function classNames(page: Page): Promise<string[]> {
  await table(page, CLASSES).locator(".tree-row").first().waitFor();
  await filled(page);
  return table(page, CLASSES).locator(".name").allTextContents();
}

async function buffers(page: Page) {
  await table(page, "Objects of ArrayBuffer").locator(".open-link").waitFor();
  expect(await page.locator(".members .figure-value").first().textContent()).toBe("65 592");
}

it("classes are sorted and filtered, and lead to the objects that are new; the address says all that", async () => {
  const page = await trip.open("#/diff/h1/h2?by=class");
  await shown(page, "diffing-state-took-diff");
  const all = await classNames(page);
  expect(all.length).toBeGreaterThan(5);
  await page.getByRole("columnheader", { name: "New", exact: true }).getByRole("button").click();
  await until(() => page.getByRole("columnheader", { name: "New", exact: true }).getAttribute("aria-sort")).toBe("descending");
  const news = (await rows(page)).map((row) => Number(row[1]));
  expect(news).toEqual([...news].sort((a, b) => b - a));
  expect([...(await classNames(page))].sort()).toEqual([...all].sort());

  await page.locator("#filter").fill("ArrayBuffer");
  await until(() => classNames(page)).toEqual(["ArrayBuffer"]);
  await table(page, CLASSES).locator(".tree-row").first().click();
  await buffers(page);
  expect(page.url()).toMatch(
    /#\/diff\/tiny-before.fxsnapshot\/tiny-after.fxsnapshot\?by=class.*filter=ArrayBuffer.*sort=-new.*row=Object%2FArrayBuffer/,
  );
  await page.reload();
  await buffers(page);
  expect(await classNames(page)).toEqual(["ArrayBuffer"]);
  await page.getByRole("button", { name: "Deleted 0" }).click();
  await page.getByText("No object of this class is gone.").waitFor();
  expect(page.url()).toContain("side=deleted");
  await page.locator("#filter").fill("nothing has this name");
  await page.getByText("No matches").waitFor();
});

it("the table has the whole width until a class is chosen, and no column is cut then; what grew in place is said", async () => {
  const page = await v8.open("#/diff/h1/h2?by=class");
  await classNames(page);
  const width = async () => (await table(page, CLASSES).boundingBox())?.width ?? 0;
  const main = (await page.locator("main").boundingBox())?.width ?? 0;
  expect(await width()).toBeGreaterThan(main - 40);
  await page.getByText(/Objects that are in both changed by [+-].*: these are in Delta Bytes alone/).waitFor();
  await table(page, CLASSES).locator(".tree-row").first().click();
  await page.locator(".members").waitFor();
  expect(await width()).toBeLessThan(main - 200);
  const last = await table(page, CLASSES).getByRole("columnheader", { name: "Delta Bytes" }).boundingBox();
  const box = await table(page, CLASSES).boundingBox();
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0) + 1);
});

it("classes of V8 say where they are defined: file and line", async () => {
  const page = await v8.open("#/diff/h1/h2?by=class");
  const row = table(page, CLASSES).locator(".tree-row", { hasText: "LeakedThing" });
  await row.waitFor();
  expect(await row.locator(".address").textContent()).toBe("gen-leak.cjs:4:30");
  expect(await row.locator(".address").getAttribute("title")).toBe("/srv/app/gen-leak.cjs:4:30");
  await page.goto(`${v8.serving.base}/#/leaks/h1,h2`);
  await page.locator(".cluster", { hasText: "/srv/app/gen-leak.cjs:4:30" }).first().waitFor();
});

it("an object that is new leads to its page, and back; keys do all of that", async () => {
  const page = await trip.open("#/diff/h1/h2?by=class");
  await classNames(page);
  await table(page, CLASSES).focus();
  await typeAhead(page, "obj", "Object");
  const objects = table(page, "Objects of Object");
  await objects.locator(".tree-row").first().waitFor();
  await objects.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".object-head h1").waitFor();
  expect(page.url()).toContain("#/object/tiny-after.fxsnapshot/");
  await page.goBack();
  await objects.locator(".tree-row").first().waitFor();
  await page.getByRole("button", { name: "By group" }).click();
  await until(async () => page.url()).not.toContain("by=class");
});

it("snapshots of different processes are refused by class, and compared where one wants it; the address says so", async () => {
  const page = await strangers.open("#/diff/h1/h2?by=class");
  await page.getByText("These snapshots seem to be of different processes.").waitFor();
  expect(await page.locator(".tree-row").count()).toBe(0);
  expect(page.url()).not.toContain("anyway");
  await page.getByRole("button", { name: "Compare them anyway" }).click();
  await classNames(page);
  await until(async () => page.url()).toContain("anyway=1");
  await page.reload();
  await classNames(page);
  await page.getByText("they seem to be of different processes").waitFor();
  await page.getByRole("button", { name: "By group" }).click();
  await until(async () => page.url()).not.toContain("anyway");
});

it("no number is cut, however long it is", async () => {
  for (const hash of ["#/diff/h1/h2?by=class", "#/diff/h2/h1?by=class", "#/diff/h1/h2", "#/census/h2", "#/dominators/h2"]) {
    const page = await many.open(hash);
    await page.locator("main:not(:has(.spinner)) .tree-row").first().waitFor();
    await filled(page);
    const cells = page.locator(".tree-cell.number, .head-cell.number");
    expect(await cells.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent))).toEqual(
      [],
    );
    const texts = await page.locator(".tree-cell.number").allTextContents();
    expect(texts.some((text) => /12[34] 4\d\d/.test(text))).toBe(true);
  }
});
