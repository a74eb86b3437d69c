// SPDX-License-Identifier: MIT
// Files that come and go, servers that go, themes, and whether people who see or point otherwise can use the page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf } from "../src/api/serving";
import { AFTER, BEFORE, cleared, data, journey, shown, start, until, visit } from "./browser";

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
    await page.locator(".snapshot-choose", { hasText: "README" }).click();
    await page.locator(".message-error").waitFor();
    await page.getByRole("button", { name: /^tiny-before/ }).click();
    await shown(page, "report-state-saved");
    await until(() => list.first().textContent()).toContain("641 KiB");
    await page.getByRole("button", { name: "Delete tiny-before" }).click();
    await page.locator("#delete-really").click();
    await until(() => list.count()).toBe(2);
    // It asks first.
    await page.locator("#clear-snapshots").click();
    await page.getByRole("dialog").getByText("Take 2 snapshots off the list?").waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    expect(await list.count()).toBe(2);
    await cleared(page);
    await page.getByText("Look into a heap").waitFor();
  });

  it("that are damaged are listed so, once one has been looked into, in all pages", async () => {
    const folder = folderOf({ "cut.fxsnapshot": readFileSync(BEFORE).subarray(0, 5000) });
    const serving = await start(BEFORE, join(folder.path, "cut.fxsnapshot"));
    const pages = [await visit(serving.url), await visit(serving.url)] as const;
    await shown(pages[0], "report-state-saved");
    await shown(pages[1], "report-state-saved");
    await pages[0].getByRole("button", { name: /^cut/ }).click();
    await pages[0].locator(".message-error", { hasText: "ends too early" }).waitFor();
    await pages[1].locator(".snapshot .snapshot-error").waitFor();
    await pages[1].getByRole("button", { name: /^cut/ }).click();
    await pages[1].locator(".message-error", { hasText: "ends too early" }).waitFor();
    await serving.end();
    folder.remove();
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
    await cleared(page);
  });
});

describe("a server that is killed and started again", () => {
  it("is missed; with another token it is entered by its address, and shows what was shown", async () => {
    const first = await start(BEFORE);
    const page = await visit(`${first.url}#/census/h1`);
    await shown(page, "census-state-saved");
    await first.end("SIGKILL");
    await page.getByText("The server does not answer").waitFor();
    const next = await start("--port", new URL(first.base).port, BEFORE);
    await page.getByText("has another token").waitFor();
    const address = page.getByLabel("The address that ubiheap has printed");
    await address.fill(next.base);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByText("This has no token").waitFor();
    await address.fill("0".repeat(32));
    await address.press("Enter");
    await page.getByText("The server has another token than this").waitFor();
    await address.fill(next.url);
    await Promise.all([page.waitForEvent("load"), address.press("Enter")]);
    await shown(page, "census-state-saved");
    expect(await page.locator(".banner").count()).toBe(0);
    expect(new URL(page.url()).search).toBe("");
    await next.end();
  });

  it("finds the page again by itself with the same token, and the page its new heaps", async () => {
    const token = folderOf({});
    const words = ["--token-file", join(token.path, "token")];
    const first = await start(...words, BEFORE);
    const page = await visit(`${first.url}#/start/h1`);
    await shown(page, "report-state-saved");
    await first.end("SIGKILL");
    await page.getByText("The server does not answer").waitFor();
    const next = await start(...words, "--port", new URL(first.base).port, AFTER);
    expect(next.url).toBe(first.url);
    await page.getByRole("alert").getByText("The snapshot “tiny-before.fxsnapshot” of the address is not open here. Choose one").waitFor();
    expect(await page.locator(".snapshot").count()).toBe(1);
    await page.getByRole("button", { name: /^tiny-after/ }).click();
    await page.locator(".headline-words h1", { hasText: "tiny-after" }).waitFor();
    await shown(page, "report-state-saved");
    await next.end();
    token.remove();
  });

  it("says to who comes without its token what to do", async () => {
    const page = await visit(trip.serving.base);
    await page.getByRole("heading", { name: "This address needs its token" }).waitFor();
    expect(await page.locator("body").evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe("none");
    await page.goto(trip.serving.url);
    await shown(page, "report-state-saved");
    await page.goto(`${trip.serving.base}/api/1/heaps/h77`);
    await page.getByText("no heap has the id 'h77'").waitFor();
    await page.getByRole("link", { name: "Go to the front page" }).click();
    await shown(page, "report-state-saved");
  });
});

describe("settings", () => {
  it("choose theme and units, and are kept", async () => {
    const page = await trip.open("#/settings");
    await page.getByLabel("Dark").check();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.getByLabel("Three digits with a unit").check();
    await page.reload();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await page.getByRole("button", { name: "Aggregate" }).click();
    await shown(page, "census-state-saved");
    expect(await page.locator(".tree-row .figure-value").first().textContent()).toMatch(/KiB|MiB|bytes/);
  });

  it("say what is no limit, and what is used then", async () => {
    const page = await trip.open("#/settings");
    const field = page.getByLabel("Objects of a row, at most");
    await field.fill("99999");
    await page.getByText("It is a whole number from 1 to 10 000: 1 000 stays in use.").waitFor();
    await field.fill("");
    await page.getByText("It is a whole number from 1 to 10 000: 1 000 stays in use.").waitFor();
    await field.fill("20");
    await until(() => page.getByText("stays in use").count()).toBe(0);
    await page.reload();
    expect(await field.inputValue()).toBe("20");
  });
});

describe("a window of 700 pixels", () => {
  for (const address of [
    "#/start/h1",
    "#/census/h1",
    "#/tree-map/h1",
    "#/dominators/h1",
    "#/object/h1/1810879808088",
    "#/diff/h1/h2?by=class",
  ]) {
    it(`has room for what ${address} shows`, async () => {
      const page = await trip.open(address, { width: 700 });
      await page.locator("main:not(:has(.spinner)) :is(.headline, .tree-row, canvas, .object-head)").first().waitFor();
      const { right, left } = await page.locator("main").evaluate((main) => main.getBoundingClientRect().toJSON() as DOMRect);
      expect([left, right]).toEqual([0, 700]);
      const beyond = await page
        .locator(":is(button, input, select, a, h1):visible")
        .evaluateAll((all) =>
          all
            .filter((one) => !one.closest(".snapshots ul, .tree-table, .edges, .paths-graph") && one.getBoundingClientRect().right > 700)
            .map((one) => one.outerHTML.slice(0, 120)),
        );
      expect(beyond).toEqual([]);
      const table = page.locator(".tree-table").first();
      if ((await table.count()) > 0) {
        expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(1); // of fractions
      }
    });
  }
});

describe("everybody", () => {
  const addresses = [
    "#/start/h1",
    "#/census/h1",
    "#/tree-map/h1",
    "#/dominators/h1",
    "#/object/h1/1810879808088",
    "#/diff/h1/h2",
    "#/diff/h1/h2?by=class&row=Object%2FObject",
    "#/leaks/h1,h2",
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
