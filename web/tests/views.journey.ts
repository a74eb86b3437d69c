// SPDX-License-Identifier: MIT
// What each view shows is what Firefox answered for the same file: tests/data/fx/golden.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { CensusTreeNode } from "../src/types/heap";
import { AFTER, ask, BEFORE, data, filled, focused, golden, journey, rows, shown, until } from "./browser";

const trip = journey(BEFORE, AFTER, data("fx/unreachable.fxsnapshot"), data("ubirec/crashed.ubirec"));
const v8 = journey(data("v8/node20-after.heapsnapshot.gz"));
/** Firefox's own answers lose some data. */
const firefox = journey("--compat", "firefox", BEFORE);
const trees: Record<string, CensusTreeNode> = golden("tiny-before.censustree").trees;

/** What a census row of a golden tree shows. */
const cellsOf = ({ bytes, count, totalBytes, totalCount, name }: CensusTreeNode) =>
  [bytes, count, totalBytes, totalCount, name].map(String);
/** Without the button of individuals and the pointer. */
const plainCells = (row: string[]) => [...row.slice(0, 4), (row.at(-1) ?? "").replace(/^[↖↘]/, "")];

async function census(page: Page, filter = "") {
  await shown(page, "census-state-saved");
  await page.locator(".tree-row").first().waitFor();
  await until(async () => page.locator("#filter").inputValue()).toBe(filter);
  return (await rows(page)).map(plainCells);
}

describe("Start", () => {
  it("says what report says, each thing one click from its evidence", async () => {
    const page = await trip.open();
    await shown(page, "report-state-saved");
    await until(() => page.locator(".headline-size").textContent()).toBe("641 KiB");
    expect(await page.locator(".headline-words p").textContent()).toContain("7 199 things and 20 360 references");
    expect(await page.locator(".finding-title").first().textContent()).toBe("A single #document of 118 KiB");
    expect(await page.locator(".keepers li").first().textContent()).toContain("Window");
    const { keepers } = await ask<{ keepers: { displayName: string }[] }>(trip, "heaps/h1/report");
    const shownKeepers = await page.locator(".keepers .row-words strong").allTextContents();
    expect(shownKeepers).toEqual(keepers.map(({ displayName }) => displayName));
    expect(page.url()).not.toContain("token");
    await page.locator(".keepers a").first().click();
    await page.locator(".object-head h1").waitFor();
    expect(await page.locator(".object-head h1").textContent()).toBe("Window");
    const facts = (await page.locator(".facts").textContent()) ?? "";
    expect(facts).toContain("Retained294 KiB");
    expect(facts).toContain("3 933 objects");
    await page.goBack();
    await shown(page, "report-state-saved");
    await page.locator(".kinds a").first().click();
    await shown(page, "individuals-state-fetched");
    await page.getByText("The 1 000 objects that retain most, of 2 310 of the kind Function, which take 135 KiB themselves.").waitFor();
    await page.reload();
    await shown(page, "individuals-state-fetched");
    await page.getByRole("button", { name: "Back to Start" }).click();
    await shown(page, "report-state-saved");
  });

  it("leads to the objects of kinds that only DevTools' classes have", async () => {
    const page = await v8.open();
    await shown(page, "report-state-saved");
    const kinds = await page.locator(".kinds .row-words").allTextContents();
    const counts = await page.locator(".kinds .row-percent").allTextContents();
    expect(kinds).toContain("(object shape)");
    for (const name of ["(compiled code)", "(object shape)", "(string)", "system / Context"]) {
      const count = counts[kinds.indexOf(name)]?.replace(" ×", "") ?? "";
      await page.locator(".kinds a", { hasText: name }).click();
      const note = () => page.locator(".view-note").textContent();
      await until(async () => (await note())?.replace(" objects", "")).toContain(`${count} of the kind ${name},`);
      await page.locator(".tree-row .open-link").first().click();
      await page.locator(".object-head h1").waitFor();
      await page.getByRole("link", { name: "All of its kind" }).click();
      await until(async () => (await note())?.replace(" objects", "")).toContain(`${count} of the kind ${name},`);
      await page.goto(`${v8.serving.base}/#/start`);
      await shown(page, "report-state-saved");
    }
  });

  it("shows a recording's report as text", async () => {
    const page = await trip.open("#/start/h4");
    await page.locator(".text-page").waitFor();
    expect(await page.locator(".text-page").textContent()).toContain("allocat");
  });
});

describe("Aggregate", () => {
  it("shows the rows of Firefox's inverted census", async () => {
    const page = await firefox.open("#/census/h1");
    const expected = (trees["coarseInverted"] as CensusTreeNode).children ?? [];
    const cells = await census(page);
    expect(cells.length).toBeGreaterThan(15);
    expect(cells).toEqual(expected.slice(0, cells.length).map(cellsOf));
  });

  it("FE-14: has a percentage of one or two digits beside each number", async () => {
    const page = await trip.open("#/census/h1");
    await census(page);
    const percents = await page.locator(".figure-percent").allTextContents();
    expect(percents.length).toBeGreaterThan(60);
    for (const percent of percents) {
      expect(percent).toMatch(/^\d{1,2}%$/);
    }
  });

  it("FE-13: is walked through by keys", async () => {
    const page = await trip.open("#/census/h1?display=coarseTypeTree");
    const names = (await census(page)).map((cells) => cells[4]);
    await page.locator(".tree-row").first().click();
    expect(await focused(page)).toBe(names[0]);
    const press = async (key: string, name: string | undefined) => {
      await page.keyboard.press(key);
      await until(() => focused(page)).toBe(name);
    };
    await press("ArrowDown", names[1]);
    await press("ArrowDown", names[2]);
    await press("ArrowUp", names[1]);
    await press("Home", names[0]);
    await page.keyboard.press("ArrowRight");
    await page.locator('.tree-row[aria-expanded="true"]').waitFor();
    await until(async () => (await rows(page)).length).toBeGreaterThan(names.length);
    expect(await focused(page)).toBe("objects");
    await press("ArrowRight", "Function");
    await press("ArrowLeft", "objects");
    await press("s", "SavedFrame");
    await press("Home", "objects");
    await page.keyboard.press("ArrowLeft");
    await until(async () => (await rows(page)).length).toBe(names.length);
    await press("End", names.at(-1));
  });

  it("expands to the rows of Firefox's tree", async () => {
    const page = await trip.open("#/census/h1?display=coarseTypeTree");
    await census(page);
    const [objects] = (trees["coarse"] as CensusTreeNode).children ?? [];
    await page.locator(".tree-arrow").first().click();
    await page.locator('[aria-level="2"]').first().waitFor();
    const cells = (await rows(page)).map(plainCells).slice(0, 20);
    expect(cells).toEqual([objects as CensusTreeNode, ...(objects?.children ?? [])].slice(0, 20).map(cellsOf));
  });

  it("FE-15: is filtered while one types, and keeps the filter behind another view and a reload", async () => {
    const page = await trip.open("#/census/h1");
    await census(page);
    await page.locator("#filter").fill("Array");
    const expected = ((trees["coarseInvertedFilterArray"] as CensusTreeNode).children ?? []).map(cellsOf);
    await until(() => census(page, "Array")).toEqual(expected);
    await page.getByRole("button", { name: "Dominators" }).click();
    await shown(page, "dominator-tree-state-loaded");
    await page.getByRole("button", { name: "Aggregate" }).click();
    expect(await census(page, "Array")).toEqual(expected);
    expect(page.url()).toContain("filter=Array");
    await page.reload();
    expect(await census(page, "Array")).toEqual(expected);
    // It stays for another snapshot, and says so.
    await page.getByRole("button", { name: /^tiny-after/ }).click();
    await census(page, "Array");
    await page.locator(".filter-note", { hasText: "Only what has “Array” in its name" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await until(() => page.locator(".filter-note").count()).toBe(0);
    expect((await census(page)).length).toBeGreaterThan(expected.length);
    await page.locator("#filter").fill("nothing has this name");
    await page.getByText("No matches").waitFor();
  });

  it("FE-31: says that no stacks were recorded, above its only row", async () => {
    const page = await trip.open("#/census/h3?display=allocationStack");
    const cells = await census(page);
    expect(await page.locator(".view-note").textContent()).toContain("No allocation stacks were recorded");
    expect(cells.map((row) => row[4])).toEqual(["(no stack available)"]);
  });

  it("is sorted by a click on a title", async () => {
    const page = await trip.open("#/census/h1");
    await census(page);
    const column = async (at: number) => (await rows(page)).map((row) => Number(row[at]));
    const descending = (numbers: number[]) => numbers.every((one, at) => at === 0 || one <= (numbers[at - 1] ?? 0));
    await page.getByRole("columnheader", { name: "Count", exact: true }).getByRole("button").click();
    await until(() => page.getByRole("columnheader", { name: "Count", exact: true }).getAttribute("aria-sort")).toBe("descending");
    await census(page);
    expect(descending(await column(1))).toBe(true);
    expect(page.url()).toContain("sort=-count");
  });

  it("shows the objects that a row counts, and goes back", async () => {
    const page = await trip.open("#/census/h1?display=coarseTypeTree");
    await census(page);
    await page.locator(".tree-arrow").first().click();
    await page.locator('[aria-level="2"]').first().waitFor();
    await page.getByRole("button", { name: "Objects of Function" }).click();
    await shown(page, "individuals-state-fetched");
    const [part] = golden("tiny-before.individuals").individuals as { ids: number[] }[];
    await filled(page);
    const links = await page.locator(".tree-row .row-address").allTextContents();
    expect(links.length).toBeGreaterThan(15);
    const known = new Set(part?.ids.map((id) => `@ 0x${id.toString(16)}`));
    expect(links.filter((link) => !known.has(link))).toEqual([]);
    expect(await page.locator(".view-note").textContent()).toContain("The 1 000 objects that retain most, of 2 310 in that row");
    const retained = (await rows(page)).map((row) => Number(row[0]));
    expect(retained).toEqual([...retained].sort((a, b) => b - a));
    expect(await page.locator(".tree-row .node-label").first().textContent()).toBe("objects › Function");
    expect(await page.locator(".snapshots .spinner").count()).toBe(0);
    await page.getByRole("button", { name: "Back to Aggregate" }).click();
    await census(page);
  });
});

describe("An object", () => {
  it("has a page of its own, which leads to each view", async () => {
    const page = await trip.open("#/object/h1/1810879808088");
    await page.locator(".object-head h1").waitFor();
    expect(await page.locator(".object-way").textContent()).toBe("root → Window.store.buffers → Array");
    await page.locator(".path-node.target").waitFor();
    await page.locator(".edges .node-link").first().click();
    await page.locator(".tab.shown", { hasText: "Object" }).waitFor();
    expect(await page.locator(".tab").count()).toBe(2);
    await page.getByRole("link", { name: "All of its kind" }).click();
    await page.getByText("544 objects of the kind Object").waitFor();
  });

  it("that is not there is an error in words", async () => {
    const page = await trip.open("#/object/h1/1");
    await page.getByText("This object could not be shown.").waitFor();
    expect(await page.locator(".message-error").textContent()).toContain("no node");
  });
});

describe("Diff", () => {
  it("FE-23, FE-30: shows what changed between two that are picked", async () => {
    const page = await trip.open("#/census/h1?display=coarseTypeTree");
    await census(page);
    await page.locator("#diff-snapshots").click();
    await page.getByText("Select the baseline").waitFor();
    await page.locator(".snapshot-choose", { hasText: "tiny-before" }).click();
    await page.getByText("Select the snapshot to compare with").waitFor();
    await page.locator(".snapshot-choose", { hasText: "tiny-after" }).click();
    await shown(page, "diffing-state-took-diff");
    expect(await page.locator(".snapshot-role").allTextContents()).toEqual(["Baseline", "Comparison"]);
    const { delta } = golden("tiny-before.diff").diffs.coarse as { delta: { objects: Record<string, { bytes: number }> } };
    const bytes = Object.values(delta.objects).reduce((sum, part) => sum + part.bytes, 0);
    const objects = (await rows(page)).find((row) => row.at(-1)?.endsWith("objects"));
    expect(objects?.[2]).toBe(`+${bytes}`);
    await page.getByRole("button", { name: "By class" }).click();
    await page.getByRole("treegrid", { name: "Classes that changed" }).locator(".tree-row").first().waitFor();
    expect((await rows(page))[0]).toEqual(["ArrayBuffer", "1", "0", "+1", "65592", "0", "+65592"]);
    expect(page.url()).toContain("#/diff/tiny-before.fxsnapshot/tiny-after.fxsnapshot");
    await page.reload();
    await shown(page, "diffing-state-took-diff");
    await page.locator("#diff-snapshots").click();
    await census(page);
  });
});
