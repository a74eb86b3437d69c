// SPDX-License-Identifier: MIT
// The tree map: what is drawn, what comes when one zooms in, and the ways to objects and back.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { NodeId } from "../src/types/heap";
import { ask, BEFORE, data, journey, rows, shown, until } from "./browser";

const trip = journey(BEFORE, data("v8/node20-before.heapsnapshot.gz"));

interface Row {
  id: number;
  name: string;
  totalBytes: number;
  totalCount: number;
  childCount: number;
}
type CensusPage = { page: { rows: Row[] } };
const treeMapRows = async (parent: number | null, offset = 0) => {
  const of = parent === null ? "" : `&parent=${parent}`;
  return (await ask<CensusPage>(trip, `heaps/h2/census?breakdown=treeMap&rows=100000&offset=${offset}${of}`)).page.rows;
};

const words = (page: Page) => page.locator(".tree-map-words").textContent();
const boxCount = async (page: Page) => Number(await page.locator(".tree-map").getAttribute("data-boxes"));

/** Before, the map may be of another size than its window. */
const fitted = (page: Page) => page.locator('.tree-map[aria-busy="false"]').waitFor();

async function map(hash: string): Promise<Page> {
  const page = await trip.open(hash);
  await fitted(page);
  await page.locator(".tree-map canvas").focus();
  return page;
}

describe("Tree map", () => {
  it("draws the heap, and its boxes are walked through by keys", async () => {
    const page = await map("#/tree-map/h1");
    const canvas = page.locator(".tree-map canvas");
    const colours = (element: HTMLCanvasElement) => {
      const { data: pixels } = element.getContext("2d")!.getImageData(0, 0, element.width, element.height);
      const found = new Set<number>();
      for (let at = 0; at < pixels.length; at += 400) {
        found.add((pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!);
      }
      return found.size;
    };
    await until(() => canvas.evaluate(colours)).toBeGreaterThan(10);
    await page.keyboard.press("ArrowDown");
    const words = page.locator(".tree-map-words");
    await until(() => words.textContent()).toBe("objects: 328 KiB, 3 858 things");
    await page.keyboard.press("ArrowDown");
    await until(() => words.textContent()).toBe("objects, Function: 135 KiB, 2 310 things");
    await page.keyboard.press("+");
    // What of it is seen is in the address.
    await until(async () => page.url()).toMatch(/zoom=[\d.]+%2C[\d.]+%2C/);
    const zoomed = page.url();
    await page.reload();
    await fitted(page);
    await page.getByRole("button", { name: "Show all" }).waitFor();
    await until(async () => page.url()).toBe(zoomed);
    await page.getByRole("button", { name: "Show all" }).click();
    await canvas.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await until(() => words.textContent()).toBe("objects, Function: 135 KiB, 2 310 things");
    await page.keyboard.press("Enter");
    await shown(page, "census-state-saved");
    await until(async () => (await rows(page))[0]?.at(-1)).toContain("Function");
  });

  it("opens a rest where one zooms into it, to the boxes that it hides", async () => {
    const page = await map("#/tree-map/h2");
    const others = (await treeMapRows(null)).find(({ name }) => name === "other") as Row;
    await page.keyboard.press("ArrowDown");
    await until(() => words(page)).toContain("other: ");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await until(() => words(page)).toMatch(/^other, [\d ]+ smaller ones/);
    const before = await boxCount(page);
    const n = Number(((await words(page)) ?? "").replace(/^other, | smaller.*| /g, ""));
    const below = await treeMapRows(others.id);
    let first = below.length;
    for (let count = 0; count < n; first--) {
      count += below[first - 1]?.totalCount ?? 0;
    }
    expect(below.slice(first).reduce((sum, row) => sum + row.totalCount, 0)).toBe(n);
    await page.keyboard.press(" ");
    await until(() => boxCount(page)).toBeGreaterThan(before);
    await page.keyboard.press("ArrowDown");
    const hidden = below[first] as Row;
    await until(() => words(page)).toContain(`smaller ones, ${hidden.name}: ${hidden.totalBytes} bytes`);
    await page.getByRole("button", { name: "Show all" }).click();
  });

  it("has a box for every object, and lists the objects of a box", async () => {
    const { rows: nodes } = await ask<{ rows: [NodeId][] }>(trip, "heaps/h2/nodes?columns=id&where=className+%3D%3D+%22Array%22&limit=1");
    const id = nodes[0]?.[0] ?? 0;
    const page = await trip.open(`#/object/h2/${id}`);
    await page.getByRole("link", { name: "Tree map" }).click();
    const found = /^objects, Array: .*; the object @\d+ is one of them$/;
    await until(() => words(page)).toMatch(found);
    expect(page.url()).toContain(`#/tree-map/node20-before.heapsnapshot.gz/${id}`);
    await page.reload();
    await until(() => words(page)).toMatch(found);
    await page.getByRole("button", { name: "Objects" }).click();
    await shown(page, "individuals-state-fetched");
    const array = (await treeMapRows((await treeMapRows(null)).find(({ name }) => name === "objects")?.id ?? 0)).find(
      ({ name }) => name === "Array",
    );
    expect(await page.locator(".view-note").textContent()).toContain(`${array?.totalCount} objects in that row`);
    await page.reload();
    await shown(page, "individuals-state-fetched");
    await page.locator(".tree-row").first().click();
    await page.keyboard.press("Enter");
    await page.locator(".object-head h1").waitFor();
    expect(await page.locator(".object-head h1").textContent()).toBe("Array");
  });

  it("finds the box of an object that a rest hides", async () => {
    const objects = (await treeMapRows(null)).find(({ name }) => name === "objects") as Row;
    const last = (await treeMapRows(objects.id)).filter(({ totalBytes }) => totalBytes > 0).at(-1) as Row;
    const where = encodeURIComponent(`className == ${JSON.stringify(last.name)} and coarseType == "Object"`);
    const { rows: nodes } = await ask<{ rows: [NodeId][] }>(trip, `heaps/h2/nodes?columns=id&where=${where}&limit=1`);
    const page = await trip.open(`#/tree-map/h2/${nodes[0]?.[0]}`);
    await until(() => words(page)).toMatch(/^objects, .*is one of them$/);
    expect(await words(page)).toContain(`${last.name}: ${last.totalBytes} bytes`);
  });
});
