// SPDX-License-Identifier: MIT
// Displays of one's own: written, tried, kept, shown in each view, in the address, and deleted.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { AFTER, BEFORE, journey, rows, shown, until } from "./browser";

const trip = journey(BEFORE, AFTER);
const TYPES = { by: "internalType", then: { by: "count", count: true, bytes: true } };

async function write(page: Page, kind: string, name: string, breakdown: object) {
  await page.getByRole("button", { name: kind, exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Breakdown: how to group, as JSON").fill(JSON.stringify(breakdown));
  await page.locator(".trial").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(`Kept as “${name}”.`).waitFor();
  await page.getByRole("list", { name: "Kept displays" }).getByText(name).waitFor();
}

describe("displays of one's own", () => {
  it("say in words what is wrong, and show what they give", async () => {
    const page = await trip.open("#/settings");
    const text = page.getByLabel("Breakdown: how to group, as JSON");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await page.locator(".trial").waitFor();
    await text.fill("{");
    await page.getByRole("alert").getByText("That is not JSON").waitFor();
    await text.fill('{ "by": "size" }');
    await page.getByText('"by" cannot be "size": it is one of count, bucket').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel("Begin with").selectOption({ label: "Internal Type" });
    await page.locator(".trial td", { hasText: "JSObject" }).waitFor();
    await page.getByText("Give it a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Type");
    await page.getByText("There is a display of this name already").waitFor();
    expect(await save.isDisabled()).toBe(true);
  });

  it("are kept, offered in their views, in the address, and deleted", async () => {
    const page = await trip.open("#/settings");
    await write(page, "Counts", "My Types", TYPES);
    await write(page, "Maps", "My Map", TYPES);
    await write(page, "Labels", "My Labels", TYPES);
    await page.locator(".snapshot-choose").first().click();
    await page.getByRole("button", { name: "Aggregate" }).click();
    await page.locator("#select-display").selectOption({ label: "My Types" });
    await page.locator(".tree-row", { hasText: "JSObject" }).waitFor();
    expect(page.url()).toContain("display=My+Types");
    await page.reload();
    await page.locator(".tree-row", { hasText: "JSObject" }).waitFor();

    await page.getByRole("button", { name: "Tree Map" }).click();
    await page.locator("#select-tree-map-display").selectOption({ label: "My Map" });
    await until(async () => page.url()).toContain("display=My+Map");
    await page.reload();
    await shown(page, "tree-map-state-saved");
    await page.locator(".tree-map canvas").focus();
    await page.keyboard.press("ArrowDown");
    await until(() => page.locator(".tree-map-words").textContent()).toMatch(/^JSObject: /);

    await page.getByRole("button", { name: "Dominators" }).click();
    await shown(page, "dominator-tree-state-loaded");
    await page.locator("#select-label-display").selectOption({ label: "My Labels" });
    await until(async () => (await rows(page))[1]?.at(-1) ?? "").toMatch(/^JSObject@/);
    expect(page.url()).toContain("labels=My+Labels");

    // Another browser does not know them, but the address says how they group.
    await page.goto(`${trip.serving.base}/#/census/h1?display=My+Types`);
    await page.locator(".individuals-button").first().click();
    await shown(page, "individuals-state-fetched");
    const note = await page.locator(".view-note").textContent();
    const elsewhere = await trip.open(new URL(page.url()).hash);
    await shown(elsewhere, "individuals-state-fetched");
    expect(await elsewhere.locator(".view-note").textContent()).toBe(note);
    await elsewhere.getByRole("button", { name: "Back to Aggregate" }).click();
    await elsewhere.locator(".tree-row", { hasText: "JSObject" }).waitFor();
    expect(await elsewhere.locator("#select-display option:checked").textContent()).toBe("My Types");

    await page.goto(`${trip.serving.base}/#/settings`);
    await page.getByRole("button", { name: "Delete the display My Types" }).click();
    await page.getByText("There are none yet.").waitFor();
    await page.goto(`${trip.serving.base}/#/census/h1`);
    await shown(page, "census-state-saved");
    expect(await page.locator("#select-display option").allTextContents()).not.toContain("My Types");
  });

  it("of an address that does not say how they group are said to be unknown, and no other rows are shown for theirs", async () => {
    const page = await trip.open("#/census/h1?display=Nobody%27s");
    await page.getByRole("alert").getByText("The display “Nobody's” is not known to this browser").waitFor();
    await shown(page, "census-state-saved");
    await page.goto(`${trip.serving.base}/#/individuals/h1?display=Nobody%27s&indices=4`);
    await page.getByRole("alert").getByText("The address names no row whose objects could be listed.").waitFor();
    await shown(page, "census-state-saved");
    await page.goto(`${trip.serving.base}/#/individuals/h1?indices=4&bytes=17`);
    await page.getByRole("alert").getByText("The address is of another “tiny-before.fxsnapshot”, of 17 bytes").waitFor();
    await shown(page, "census-state-saved");
  });

  it("that cannot be read are said, and can be deleted", async () => {
    const page = await trip.open("#/settings");
    await page.locator(".settings").waitFor();
    await page.evaluate(() => localStorage.setItem("ubiheap.preferences", JSON.stringify({ customCensusDisplays: "{" })));
    await page.reload();
    await page.getByText("What was kept is ignored").waitFor();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("There are none yet.").waitFor();
  });
});
