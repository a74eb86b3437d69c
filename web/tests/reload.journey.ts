// SPDX-License-Identifier: MIT
// A page that is loaded again shows what it showed: rows that were open are open.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { BEFORE, journey, rows, shown, until } from "./browser";

const trip = journey(BEFORE);

/** Opens the last row that can be opened, and what is below it; then loads the page again. All rows are there again. */
async function openAndReload(page: Page, state: string): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const before = await page.locator(".tree-row[aria-expanded=true]").count();
    await page.locator(".tree-row[aria-expanded=false] .tree-arrow").first().click();
    await until(() => page.locator(".tree-row[aria-expanded=true]").count()).toBe(before + 1);
    await until(() => page.locator(".tree-row.pending, .tree-row .spinner").count()).toBe(0);
  }
  const all = await rows(page);
  await page.reload();
  await shown(page, state);
  await until(() => rows(page)).toEqual(all);
}

it("of dominators, also where one that is open at first was closed", async () => {
  const page = await trip.open("#/dominators/h1");
  await shown(page, "dominator-tree-state-loaded");
  await openAndReload(page, "dominator-tree-state-loaded");
  await page.locator(".tree-row[aria-expanded=true] .tree-arrow").nth(1).click();
  const closed = await rows(page);
  await page.reload();
  await shown(page, "dominator-tree-state-loaded");
  await until(() => rows(page)).toEqual(closed);
});

it("of a census, but not in a view that is grouped otherwise, nor for who is sent the address", async () => {
  const page = await trip.open("#/census/h1?display=coarseTypeTree");
  await shown(page, "census-state-saved");
  const closed = await rows(page);
  await openAndReload(page, "census-state-saved");
  const other = await trip.open(new URL(page.url()).hash);
  await shown(other, "census-state-saved");
  expect(await rows(other)).toEqual(closed);
});
