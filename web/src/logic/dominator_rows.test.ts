// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { DominatorTreeNode } from "../types/heap";
import { dominatorRows, nextBigDrop } from "./dominator_rows";

const node = (nodeId: number, retainedSize: number, children?: DominatorTreeNode[], hasMore = false): DominatorTreeNode => {
  return { nodeId, label: [], shallowSize: 1, retainedSize, moreChildrenAvailable: hasMore, ...(children ? { children } : {}) };
};
const tree = node(1, 100, [node(2, 90, [node(3, 30), node(4, 20)], true), node(5, 5, undefined, true)]);

describe("rows of a dominator tree", () => {
  it("are those below opened nodes, with their paths", () => {
    const rows = dominatorRows(tree, new Set([1]));
    expect(rows.map((row) => [row.node.nodeId, row.level, row.path])).toEqual([
      [1, 0, [1]],
      [2, 1, [1, 2]],
      [5, 1, [1, 5]],
    ]);
  });

  it("have one for further children, or for the first that are on their way", () => {
    const rows = dominatorRows(tree, new Set([1, 2, 5]));
    expect(rows.map((row) => [row.node.nodeId, row.kind])).toEqual([
      [1, "node"],
      [2, "node"],
      [3, "node"],
      [4, "node"],
      [2, "more"],
      [5, "node"],
      [5, "fetching"],
    ]);
    expect(dominatorRows(null, new Set())).toEqual([]);
  });

  it("lead to the next big drop in what is kept", () => {
    const rows = dominatorRows(tree, new Set([1, 2]));
    expect(rows[nextBigDrop(rows, 0)]?.node.nodeId).toBe(2);
    expect(nextBigDrop(rows, 1)).toBe(-1);
  });
});
