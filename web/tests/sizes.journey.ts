// SPDX-License-Identifier: MIT
// However much there is in a heap, few rows are sent, and few elements are in the document: what `make bench-web` asserts of large heaps.
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { folderOf, snapshotFile, type NodeFields } from "../src/api/serving";
import { journey, shown, until } from "./browser";

const COUNT = 30_000;
const MOST_ROWS = 1_100;
const MOST_ELEMENTS = 2_500;

/** One object of each of many classes, all kept by the first. */
function manyClasses(more: number): Buffer {
  const ids = Array.from({ length: COUNT }, (_, at) => 4096 + 8 * at);
  const [first = 0, ...others] = ids;
  const object = (at: number, edges: [number, string?][] = []): NodeFields => {
    return { size: 64 + more + (at % 64), type: "JSObject", coarse: 1, className: `Class${String(at).padStart(5, "0")}`, edges };
  };
  const kept: [number, string?][] = others.map((id) => [id]);
  return snapshotFile(1, [
    [1, { size: 8, type: "root", edges: [[first]] }],
    [first, object(0, kept)],
    ...others.map((id, at): [number, NodeFields] => [id, object(at + 1)]),
  ]);
}

const folder = folderOf({ "many.fxsnapshot": manyClasses(0), "more.fxsnapshot": manyClasses(8) });
const trip = journey(`${folder.path}/many.fxsnapshot`, `${folder.path}/more.fxsnapshot`);
afterAll(() => folder.remove());

/** The number of objects and lists that are in lists of a document: rows, boxes, references. */
function rowsIn(document: object): number {
  let count = 0;
  for (const stack: object[] = [document]; stack.length > 0; ) {
    const value = stack.pop() as object;
    const inside = Object.values(value).filter((one): one is object => typeof one === "object" && one !== null);
    count += Array.isArray(value) ? inside.length : 0;
    stack.push(...inside);
  }
  return count;
}

/** A page that notes how many rows each answer about a heap has. */
async function watched(hash: string): Promise<{ page: Page; most: () => Promise<number>; elements: () => Promise<number> }> {
  const page = await trip.open("#/settings");
  const answers: Promise<number>[] = [];
  page.on("response", (response) => {
    if (/\/heaps\/h\d+\/|\/jobs\//.test(response.url()) && (response.headers()["content-type"] ?? "").startsWith("application/json")) {
      answers.push(response.json().then(rowsIn, () => 0));
    }
  });
  await page.goto(trip.serving.base + "/" + hash);
  return {
    page,
    most: async () => Math.max(...(await Promise.all(answers))),
    elements: () => page.locator("*").count(),
  };
}

const VIEWS: [string, string][] = [
  ["#/start/h1", ".findings, .keepers"],
  ["#/census/h1", ".tree-row"],
  ["#/census/h1?display=objectClass", ".tree-row"],
  ["#/summary/h1", ".tree-row"],
  ["#/dominators/h1", ".tree-row"],
  ["#/object/h1/4096", ".path-node.target"],
  ["#/diff/h1/h2?display=objectClass", ".tree-row"],
];

for (const [hash, selector] of VIEWS) {
  it(`${hash} is sent and shown in part`, async () => {
    const { page, most, elements } = await watched(hash);
    await page.locator(`main:not(:has(.spinner)) :is(${selector})`).first().waitFor();
    expect(await most()).toBeGreaterThan(0);
    expect(await most()).toBeLessThanOrEqual(MOST_ROWS);
    expect(await elements()).toBeLessThanOrEqual(MOST_ELEMENTS);
  });
}

it("a long table stays as small wherever it is scrolled to, and shows the rows there", async () => {
  const { page, most, elements } = await watched("#/census/h1?display=objectClass");
  await shown(page, "census-state-saved");
  const table = page.locator(".tree-table");
  expect(Number(await table.getAttribute("aria-rowcount"))).toBe(COUNT + 1);
  for (const part of [0.3, 1, 0.6]) {
    await table.evaluate((element, share) => (element.scrollTop = share * (element.scrollHeight - element.clientHeight)), part);
    const middle = page.locator(".tree-row").nth(5);
    await until(async () => Number(await middle.getAttribute("aria-rowindex")) / COUNT).toBeCloseTo(part, 2);
    await until(() => page.locator(".tree-row.pending").count()).toBe(0);
    expect(await elements()).toBeLessThanOrEqual(MOST_ELEMENTS);
  }
  expect(await most()).toBeLessThanOrEqual(MOST_ROWS);
});
