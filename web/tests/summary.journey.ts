// SPDX-License-Identifier: MIT
// All classes with what they retain: the numbers are those of `ubiheap summary --json`.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Documents } from "../src/types/documents";
import { ask, BEFORE, data, focused, journey, rows, shown, until } from "./browser";
import { holdRequests } from "./rest";

const trip = journey(data("v8/node20-after.heapsnapshot.gz"), BEFORE);
type Summary = Documents["ubiheap.summary/1"];
const summary = (heap: string, query: string) => ask<Summary>(trip, `heaps/${heap}/summary?${query}`);

const cellsOf = ({ retainedSize, selfSize, count, name, location = "" }: Summary["classes"][number]) => [
  ...[String(retainedSize), String(selfSize), String(count)],
  name + location.slice(location.lastIndexOf("/") + 1),
];
/** Without distances and links. */
async function classes(page: Page): Promise<string[][]> {
  return (await rows(page)).map(([retained = "", self = "", count = "", , , name = ""]) => [retained, self, count, name]);
}

async function opened(hash: string): Promise<Page> {
  const page = await trip.open(hash);
  await shown(page, "summary-state-saved");
  await page.locator(".tree-row").first().waitFor();
  return page;
}

it("classes are those of the command, sorted and filtered, and the address says how", async () => {
  const page = await opened("#/summary/h1");
  const { classes: all, classCount } = await summary("h1", "limit=0");
  expect(Number(await page.locator(".tree-table").getAttribute("aria-rowcount"))).toBe(classCount + 1);
  const first = await classes(page);
  expect(first.length).toBeGreaterThan(15);
  expect(first).toEqual(all.slice(0, first.length).map(cellsOf));
  await page.locator(".tree-table").focus();
  await page.keyboard.press("End");
  await until(async () => (await classes(page)).at(-1)).toEqual(cellsOf(all[all.length - 1]!));
  await page.keyboard.press("Home");
  await until(async () => (await classes(page))[0]).toEqual(cellsOf(all[0]!));

  // A copy has all classes, not only those that have come.
  await page.reload();
  await shown(page, "summary-state-saved");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("menuitem", { name: "Copy as JSON" }).click();
  await page.getByText(`Copied ${classCount} rows as JSON.`).waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as { name: string }[];
  expect(copied.map(({ name }) => name)).toEqual(all.map(({ name }) => name));

  await page.getByRole("columnheader", { name: "Count" }).getByRole("button").click();
  const { classes: many } = await summary("h1", "limit=20&sort=count");
  await until(async () => (await classes(page)).slice(0, 10)).toEqual(many.slice(0, 10).map(cellsOf));
  await page.locator("#filter").fill("Thing");
  await until(async () => (await classes(page)).map((row) => row[3])).toEqual(["LeakedThinggen-leak.cjs:4:30"]);
  await page.getByText(`1 of ${classCount} classes`).waitFor();
  await until(async () => page.url()).toContain("#/summary/node20-after.heapsnapshot.gz?filter=Thing&sort=-count");
  await page.reload();
  await until(async () => (await classes(page)).map((row) => row[3])).toEqual(["LeakedThinggen-leak.cjs:4:30"]);
  await page.locator("#filter").fill("nothing has this name");
  await page.getByText("No matches").waitFor();
});

it("a class opens to its objects by keys, an object to why it is alive and to its page", async () => {
  const page = await opened("#/summary/h1?filter=LeakedThing");
  const nodes = (await summary("h1", "class=LeakedThing&limit=100")).classes[0]?.nodes ?? [];
  await page.locator(".tree-table").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator('.tree-row[aria-level="2"] .address').first().waitFor();
  const objects = (await rows(page)).slice(1);
  expect(objects.map((row) => row.slice(0, 2))).toEqual(
    nodes.slice(0, objects.length).map(({ retainedSize, selfSize }) => [String(retainedSize), String(selfSize)]),
  );
  await page.keyboard.press("ArrowRight");
  await page.locator(".path-node.target").waitFor();
  expect(await page.locator(".path-node.target .path-address").textContent()).toBe(`@${nodes[0]?.id}`);
  await page.keyboard.press("End");
  await until(() => page.locator(".tree-row.focused").innerText()).toContain("201 more");
  await page.keyboard.press("Enter");
  await until(() => page.locator(".tree-row.focused .address").textContent()).toMatch(/^@\d+$/);
  await until(() => page.locator(".tree-table").getAttribute("aria-rowcount")).toBe("203");
  await page.keyboard.press("Enter");
  await page.locator(".object-head h1", { hasText: "LeakedThing" }).waitFor();
});

it("a key that comes before the objects of a class is of the first of them", async () => {
  const page = await opened("#/summary/h1?filter=LeakedThing");
  const [first] = (await summary("h1", "class=LeakedThing&limit=100")).classes[0]?.nodes ?? [];
  const release = await holdRequests(page, /[?&]class=/);
  await page.locator(".tree-table").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator(".tree-row .spinner").waitFor();
  await page.keyboard.press("ArrowDown");
  expect(await focused(page)).toBe("LeakedThing");
  release();
  await until(() => page.locator(".path-node.target .path-address").textContent()).toBe(`@${first?.id}`);
  await until(() => page.locator(".tree-row.focused .address").textContent()).toBe(`@${first?.id}`);
});

it("of Firefox's snapshots they are classes of the census; all objects of one are a link away, and back", async () => {
  const page = await opened("#/summary/h2");
  const { classes: all } = await summary("h2", "limit=10");
  expect((await classes(page)).slice(0, 10)).toEqual(all.map(cellsOf));
  await page.locator(".tree-row .open-link").first().click();
  await shown(page, "individuals-state-fetched");
  expect(await page.locator(".view-note").textContent()).toContain(`of the kind ${all[0]?.name}`);
  await page.goBack();
  await shown(page, "summary-state-saved");
});
