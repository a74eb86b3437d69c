// SPDX-License-Identifier: MIT
// A page that is loaded again shows what it showed: rows that were open are open.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { BEFORE, journey, rows, shown, until } from "./browser";

const trip = journey(BEFORE);

/** Fewer than its window has room for: how many more a table has depends on where it was scrolled to. */
const firstRows = async (page: Page) => (await rows(page)).slice(0, 20);
const rowCount = async (page: Page) => Number(await page.locator(".tree-table").getAttribute("aria-rowcount"));

/** Opens the first or last row that can be opened, and one more; then loads the page again: all rows are there again. */
async function openAndReload(page: Page, state: string, which: 0 | -1): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const before = await rowCount(page);
    await page.locator(".tree-row[aria-expanded=false] .tree-arrow").nth(which).click();
    await until(() => rowCount(page)).toBeGreaterThan(before);
    await until(() => page.locator(".tree-row.pending, .tree-row .spinner").count()).toBe(0);
  }
  const [all, count] = [await firstRows(page), await rowCount(page)];
  await page.reload();
  await shown(page, state);
  await until(() => rowCount(page)).toBe(count);
  await until(() => firstRows(page)).toEqual(all);
}

it("of dominators, also where one that is open at first was closed", async () => {
  const page = await trip.open("#/dominators/h1");
  await shown(page, "dominator-tree-state-loaded");
  await openAndReload(page, "dominator-tree-state-loaded", 0);
  const before = await rowCount(page);
  await page.locator(".tree-row[aria-expanded=true] .tree-arrow").nth(1).click();
  await until(() => rowCount(page)).toBeLessThan(before);
  const closed = await firstRows(page);
  await page.reload();
  await shown(page, "dominator-tree-state-loaded");
  await until(() => firstRows(page)).toEqual(closed);
});

it("of a census, but not in a view that is grouped otherwise, nor for who is sent the address", async () => {
  const page = await trip.open("#/census/h1?display=coarseTypeTree");
  await shown(page, "census-state-saved");
  const closed = await firstRows(page);
  await openAndReload(page, "census-state-saved", -1);
  const other = await trip.open(new URL(page.url()).hash);
  await shown(other, "census-state-saved");
  expect(await firstRows(other)).toEqual(closed);
});
