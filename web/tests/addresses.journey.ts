// SPDX-License-Identifier: MIT
// Addresses: they name snapshots by their files, whatever the order in which these are open, and say what is not understood.
import { expect, it } from "vitest";
import { AFTER, BEFORE, journey, shown, until } from "./browser";

const trip = journey(BEFORE, AFTER);
const turned = journey(AFTER, BEFORE);

it("lead to the same snapshot of a server that opens its files in another order", async () => {
  const page = await trip.open();
  await shown(page, "report-state-saved");
  await page.getByRole("button", { name: /^tiny-after/ }).click();
  await until(async () => new URL(page.url()).hash).toBe("#/start/tiny-after.fxsnapshot");
  await page.locator(".keepers a").first().click();
  await page.locator(".object-head h1").waitFor();
  const { hash } = new URL(page.url());
  expect(hash).toMatch(/^#\/object\/tiny-after\.fxsnapshot\/\d+\?of=\d+-\d+-\d+$/);
  const other = await turned.open(hash);
  await other.locator(".object-head h1").waitFor();
  expect(await other.locator(".snapshot.selected .snapshot-title").textContent()).toBe("tiny-after");
  expect(await other.locator(".facts").textContent()).toBe(await page.locator(".facts").textContent());
});

it("that are not understood are said in words, and what is shown stays", async () => {
  const page = await trip.open("#/census/tiny-before.fxsnapshot");
  await shown(page, "census-state-saved");
  const alert = page.getByRole("alert");
  await page.evaluate(() => (location.hash = "#/census/gone.fxsnapshot"));
  await alert.getByText("The snapshot “gone.fxsnapshot” of the address is not open here. What was shown before stays.").waitFor();
  await until(async () => new URL(page.url()).hash).toBe("#/census/tiny-before.fxsnapshot");
  await page.getByRole("button", { name: /^tiny-after/ }).click();
  await until(() => alert.count()).toBe(0);
  await page.getByRole("button", { name: /^tiny-before/ }).click();
  await page.evaluate(() => (location.hash = "#/nonsense"));
  await alert.getByText("The address names no view of this page: “nonsense”.").waitFor();
  await shown(page, "report-state-saved");
  await page.evaluate(() => (location.hash = "#/object/tiny-before.fxsnapshot/0x1a5?foo=1"));
  await alert.getByText("“foo” in the address means nothing here.").waitFor();
  await page.getByText("This object could not be shown.").waitFor();
  await page.evaluate(() => (location.hash = "#/dominators/tiny-before.fxsnapshot"));
  await shown(page, "dominator-tree-state-loaded");
  expect(await alert.count()).toBe(0);
});
