// SPDX-License-Identifier: MIT
// Dominators, and the ways from every object to every view and back.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatId } from "../src/logic/format";
import { labelText } from "../src/logic/names";
import type { DominatorTreeNode, NodeId } from "../src/types/heap";
import { ask, BEFORE, data, golden, journey, rows, shown, until } from "./browser";
import { holdRequests } from "./rest";

const trip = journey(BEFORE, data("v8/node20-before.heapsnapshot.gz"), data("fx/unreachable.fxsnapshot"));

type Asked = { tree: DominatorTreeNode; groups: { count: number; retainedSize: number; shallowSize: number; className?: string }[] };
const asked = (heap: string, query: string) => ask<Asked>(trip, `heaps/${heap}/dominators?${query}`);

const address = (id: NodeId, heap = "h1") => formatId(id, heap === "h1" ? "fxsnapshot" : "heapsnapshot");
/** What a node's row shows. */
const cellsOf = ({ retainedSize, shallowSize, label, nodeId }: DominatorTreeNode) => [
  ...[String(retainedSize), String(shallowSize), "↗"],
  `${labelText(label)}${address(nodeId)}`,
];

async function loaded(page: Page): Promise<void> {
  await shown(page, "dominator-tree-state-loaded");
  await page.locator(".tree-row").first().waitFor();
}

describe("Dominators", () => {
  it("shows Firefox's tree, and an exact rest that brings more", async () => {
    const page = await trip.open("#/dominators/h1");
    await loaded(page);
    const root: DominatorTreeNode = golden("tiny-before.domtree").partialTraversal;
    const [window] = root.children ?? [];
    const expected = [root, window!, ...(window?.children ?? [])].map(cellsOf);
    expect((await rows(page)).slice(0, expected.length)).toEqual(expected);

    const { tree } = await asked("h1", `node=${window?.nodeId}&depth=2&siblings=0`);
    const restFrom = (first: number) => {
      const left = tree.children?.slice(first) ?? [];
      const sum = (key: "retainedSize" | "shallowSize") => String(left.reduce((all, one) => all + one[key], 0));
      return [sum("retainedSize"), sum("shallowSize"), "", `${left.length} more`];
    };
    expect((await rows(page))[expected.length]).toEqual(restFrom(15));
    await page.locator(".tree-row", { hasText: "709 more" }).click();
    await page.keyboard.press("ArrowRight");
    await until(() => page.locator(".tree-row.focused .row-address").textContent()).toBe(address(tree.children?.[15]?.nodeId ?? 0));
    await until(async () => (await rows(page))[expected.length]).toEqual(cellsOf(tree.children?.[15] as DominatorTreeNode));
    for (let key = 0; key < 50; key++) {
      await page.keyboard.press("ArrowDown");
    }
    await until(() => page.locator(".tree-row.focused").innerText()).toContain("659 more");
    expect(await rows(page)).toContainEqual(restFrom(65));
  });

  it("takes keys that come before the rows that they go to", async () => {
    const page = await trip.open("#/dominators/h1?by=class");
    await loaded(page);
    const release = await holdRequests(page, /dominators\?.*likes=/);
    const row = page.locator(".tree-row.focused");
    await page.locator(".tree-row", { hasText: "SavedFrame304 objects" }).click();
    await page.keyboard.press("ArrowRight");
    await page.locator(".tree-row .spinner").waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await row.textContent()).toContain("304 objects");
    release();
    await until(() => row.getAttribute("aria-level")).toBe("3");
    expect(await row.getAttribute("aria-posinset")).toBe("1");
    await page.keyboard.press("ArrowLeft");
    await until(() => row.textContent()).toContain("304 objects");
  });

  it("calls nodes of V8 as DevTools do, and writes their ids so", async () => {
    const page = await trip.open("#/dominators/h2");
    await loaded(page);
    const { tree } = await asked("h2", "depth=2&siblings=15");
    const titles = [tree, ...(tree.children ?? [])].map(({ title }) => title);
    expect(titles.slice(0, 3)).toEqual(["root", "global", "(GC roots)"]);
    const labels = (await rows(page)).map((row) => row.at(-1) ?? "");
    expect(labels.slice(0, 2)).toEqual(["root@1", `global@${tree.children?.[0]?.nodeId}`]);
    await page.locator(".tree-row", { hasText: "(GC roots)" }).locator(".open-link").click();
    await page.locator(".object-head h1", { hasText: "(GC roots)" }).waitFor();
    expect(await page.locator(".object-head .address").textContent()).toBe("@3");
    await page.locator(".edges").getByRole("link", { name: "root", exact: true }).click();
    await until(() => page.locator(".object-head h1").textContent()).toBe("root");
    expect(await page.getByText("(no name)").count()).toBe(0);
  });

  it("draws why one is alive", async () => {
    const page = await trip.open("#/dominators/h1");
    await loaded(page);
    await page.locator(".tree-row").nth(2).click();
    await page.locator(".path-node.target").waitFor();
    expect(await page.locator(".path-node.target").textContent()).toContain("Object");
    await page.getByRole("button", { name: "As text" }).click();
    expect(await page.locator(".paths-text").textContent()).toContain("Window —store→ Object");
  });

  it("groups what a node dominates by class, and opens a class to its objects", async () => {
    const page = await trip.open("#/dominators/h1");
    await loaded(page);
    await page.getByRole("button", { name: "By class" }).click();
    const group = page.locator(".tree-row", { hasText: "SavedFrame304 objects" });
    await group.waitFor();
    expect(page.url()).toContain("by=class");
    const { groups } = await asked("h1", "by=class&siblings=50");
    const figures = groups.map(({ retainedSize, shallowSize }) => [String(retainedSize), String(shallowSize)]);
    const visible = (await rows(page)).slice(1);
    expect(visible.length).toBeGreaterThan(10);
    expect(visible.map((row) => row.slice(0, 2))).toEqual(figures.slice(0, visible.length));
    await group.locator(".tree-arrow").click();
    await page.locator('[aria-level="3"]').first().waitFor();
    const { tree } = await asked("h1", "depth=2&siblings=0");
    const frames = (tree.children ?? []).filter(({ label }) => labelText(label) === "objects › SavedFrame");
    const members = (await rows(page)).filter((row) => row[3]?.includes("SavedFrame@"));
    expect(members).toEqual(frames.slice(0, members.length).map(cellsOf));
    await page.reload();
    await group.waitFor();
  });

  it("finds the next big drop wherever it is, opens the way to it, and says when there is none", async () => {
    const page = await trip.open("#/dominators/h2");
    await loaded(page);
    type Dropped = { hasDrop: boolean; tree: DominatorTreeNode; way: DominatorTreeNode[] };
    const dropAfter = (id: NodeId) => ask<Dropped>(trip, `heaps/h2/dominators?depth=1&way=1&nextDrop=1&node=${id}`);
    const row = page.locator(".tree-row.focused");
    let [at, deepest, largest] = [1 as NodeId, 0, 0];
    for (let press = 0; press < 8; press++) {
      const { tree, way } = await dropAfter(at);
      await page.getByRole("button", { name: "Next big drop" }).click();
      await until(() => row.locator(".row-address").textContent()).toBe(address(tree.nodeId, "h2"));
      expect(await row.getAttribute("aria-level")).toBe(String(way.length));
      [at, deepest, largest] = [tree.nodeId, Math.max(deepest, way.length), Math.max(largest, tree.retainedSize)];
    }
    expect(deepest).toBeGreaterThan(3); // rows that were closed at first
    expect(largest).toBeGreaterThan(200_000);
    for (let { hasDrop, tree } = await dropAfter(at); hasDrop; { hasDrop, tree } = await dropAfter(at)) {
      at = tree.nodeId;
    }
    await page.goto(`${trip.serving.base}/#/dominators/h2/${at}`);
    await until(() => row.locator(".row-address").textContent()).toBe(address(at, "h2"));
    await page.locator(".tree-table").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("alert").getByText("There is no further big drop").waitFor();
  });

  it("opens at any node, however far from its first siblings it is", async () => {
    const { tree } = await asked("h2", "depth=3&siblings=0");
    const parent = tree.children?.[0] as DominatorTreeNode;
    const far = parent.children?.[5000] as DominatorTreeNode;
    const page = await trip.open(`#/object/h2/${far.nodeId}`);
    await page.getByRole("navigation", { name: "This object in other views" }).getByRole("link", { name: "Dominators" }).click();
    const row = page.locator(".tree-row.focused");
    await until(() => row.locator(".row-address").textContent()).toBe(address(far.nodeId, "h2"));
    expect(await row.getAttribute("aria-posinset")).toBe("5001");
    expect(await row.getAttribute("aria-level")).toBe("3");
    const box = await row.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(800);
    const between = parent.children?.slice(15, 5000) ?? [];
    const sum = (key: "retainedSize" | "shallowSize") => String(between.reduce((all, one) => all + one[key], 0));
    expect(await rows(page)).toContainEqual([sum("retainedSize"), sum("shallowSize"), "", "4985 more"]);
    expect(page.url()).toContain(`#/dominators/node20-before.heapsnapshot.gz/${far.nodeId}`);
    await page.reload();
    await until(() => row.locator(".row-address").textContent()).toBe(address(far.nodeId, "h2"));
    await page.keyboard.press("Tab");
    await row.locator(".open-link").click();
    await page.locator(".object-head h1").waitFor();
    expect(page.url()).toContain(`#/object/node20-before.heapsnapshot.gz/${far.nodeId}`);
  });

  it("says of an object that nothing keeps it", async () => {
    const lost = await ask<{ rows: [NodeId][] }>(trip, "heaps/h3/nodes?columns=id&where=retainedSize+%3D%3D+0+and+rawSize+%3E+0&limit=1");
    const page = await trip.open(`#/dominators/h3/${lost.rows[0]?.[0]}`);
    await page.getByRole("alert").getByText("cannot be reached from the root").waitFor();
  });

  it("is split as it was left, and a click in the middle of a row selects it", async () => {
    const page = await trip.open("#/dominators/h1");
    await loaded(page);
    const line = page.getByRole("separator");
    const label = page.getByRole("columnheader", { name: "Label" });
    expect((await label.boundingBox())?.width).toBeGreaterThan(300);
    await line.focus();
    await page.keyboard.press("ArrowRight");
    await until(() => line.getAttribute("aria-valuenow")).toBe("71");
    await page.reload();
    await loaded(page);
    expect(await line.getAttribute("aria-valuenow")).toBe("71");
    for (const at of [1, 3, 7]) {
      await page.locator(".tree-row").nth(at).click();
      await until(() => page.locator(".tree-row").nth(at).getAttribute("aria-selected")).toBe("true");
    }
    expect(page.url()).toContain("#/dominators/");
  });

  it("draws no name of a reference over another", async () => {
    const page = await trip.open("#/dominators/h2");
    await loaded(page);
    for (const at of [5, 9, 12, 16]) {
      await page.locator(".tree-row").nth(at).click();
      const target = page.locator(".path-node.target .path-address");
      const id = (await page.locator(".tree-row").nth(at).locator(".row-address").textContent()) ?? "";
      await until(async () => ((await target.count()) ? target.textContent() : "")).toBe(id);
      const boxes = await page
        .locator(".path-edge text")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
      const over = boxes.filter((a, i) =>
        boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4),
      );
      expect(over).toEqual([]);
    }
  });
});
