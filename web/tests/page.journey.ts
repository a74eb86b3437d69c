// SPDX-License-Identifier: MIT
// Files that come and go, servers that go, themes, and whether people who see or point otherwise can use the page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { serve } from "../src/api/serving";
import { AFTER, BEFORE, data, journey, PATIENCE_MS, shown, until } from "./browser";

const trip = journey(BEFORE, AFTER);
const empty = journey();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");

describe("files", () => {
  it("are picked, several at once, read, and deleted; what is no heap says why", async () => {
    const page = await empty.open();
    await page.getByText("Look into a heap").waitFor();
    expect(await page.locator("#clear-snapshots").isDisabled()).toBe(true);
    expect(await page.locator("#diff-snapshots").isDisabled()).toBe(true);
    await page.locator("input[type=file]").setInputFiles([BEFORE, AFTER, data("fx/README.md")]);
    const list = page.locator(".snapshot");
    await until(() => list.count()).toBe(3);
    await page.locator('.snapshot[data-state="snapshot-state-error"]').waitFor();
    await page.locator(".message-error").waitFor();
    await page.getByRole("button", { name: /^tiny-before/ }).click();
    await shown(page, "report-state-saved");
    await until(() => list.first().textContent()).toContain("0.66 MB");
    await page.getByRole("button", { name: "Delete tiny-before" }).click();
    await until(() => list.count()).toBe(2);
    await page.locator("#clear-snapshots").click();
    await page.getByText("Look into a heap").waitFor();
  });

  it("are dropped anywhere", async () => {
    const page = await empty.open();
    await page.getByText("Look into a heap").waitFor();
    const bytes = readFileSync(BEFORE).toString("base64");
    const transfer = await page.evaluateHandle((text) => {
      const dropped = new DataTransfer();
      dropped.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], "dropped.fxsnapshot"));
      return dropped;
    }, bytes);
    await page.dispatchEvent(".app", "dragover", { dataTransfer: transfer });
    await page.locator(".drop-hint").waitFor();
    await page.dispatchEvent(".app", "drop", { dataTransfer: transfer });
    await shown(page, "report-state-saved");
    expect(await page.locator(".headline-words h1").textContent()).toBe("dropped.fxsnapshot");
    await page.locator("#clear-snapshots").click();
  });
});

describe("a server that ends", () => {
  it("is missed, and another one at its place is known as such", async () => {
    const first = await serve(process.env.UBIHEAP ?? "", "--no-cache", BEFORE);
    const page = await trip.browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(first.url);
    await shown(page, "report-state-saved");
    await first.end();
    await page.getByText("The server does not answer").waitFor();
    const next = await serve(process.env.UBIHEAP ?? "", "--no-cache", "--port", new URL(first.base).port, BEFORE);
    await page.getByText("open the address that it has printed").waitFor();
    await page.goto(next.url);
    await shown(page, "report-state-saved");
    expect(await page.locator(".banner").count()).toBe(0);
    await next.end();
  });
});

describe("settings", () => {
  it("choose theme and units, and are kept", async () => {
    const page = await trip.open("#/settings");
    await page.getByLabel("Dark").check();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.getByLabel("Three digits with a unit").check();
    const display = { "My Display": { by: "internalType", then: { by: "count", count: true, bytes: true } } };
    await page.locator("textarea").fill("{");
    await page.getByRole("alert").waitFor();
    await page.locator("textarea").fill(JSON.stringify(display));
    await page.reload();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.getByRole("button", { name: "Aggregate" }).click();
    await shown(page, "census-state-saved");
    expect(await page.locator(".tree-row .figure-value").first().textContent()).toMatch(/KiB|MiB|bytes/);
    await page.locator("#select-display").selectOption({ label: "My Display" });
    await page.locator(".tree-row", { hasText: "JSObject" }).waitFor();
  });
});

describe("everybody", () => {
  const addresses = [
    "#/start/h1",
    "#/census/h1",
    "#/tree-map/h1",
    "#/dominators/h1",
    "#/object/h1/1810879808088",
    "#/diff/h1/h2",
    "#/settings",
  ];
  for (const colorScheme of ["light", "dark"] as const) {
    it(`can use each view: ${colorScheme}`, async () => {
      const page = await trip.open("#/start/h1", { colorScheme });
      for (const address of addresses) {
        await page.goto(trip.serving.base + "/" + address);
        await page.locator("main:not(:has(.spinner)) :is(.headline, .tree-row, canvas, .object-head, .settings)").first().waitFor();
        await page.evaluate(axe);
        const found = await page.evaluate("axe.run({ resultTypes: ['violations'] })");
        const { violations } = found as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
        const said = violations.map(({ id, nodes }) => `${address} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
        expect.soft(said).toEqual([]);
      }
    });
  }
});
