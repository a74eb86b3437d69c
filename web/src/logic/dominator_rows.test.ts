// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { DominatorTreeNode } from "../types/heap";
import { classRows, dominatorRows, groupKey, groupLabel, nodeKey, nodeUpTo } from "./dominator_rows";

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
      [2, "rest"],
      [5, "node"],
      [5, "fetching"],
    ]);
    expect(dominatorRows(null, new Set())).toEqual([]);
  });

  it("say what is missing, in sum", () => {
    const known = { childCount: 1000, childShallowSize: 4000, childRetainedSize: 89 };
    const rows = dominatorRows({ ...node(1, 90, [node(2, 30), node(3, 20)], true), ...known }, new Set([1]));
    expect(rows.map(({ key, index, siblingCount }) => [key, index, siblingCount])).toEqual([
      ["node 1", 0, 1],
      ["node 2", 0, 1000],
      ["node 3", 1, 1000],
      ["rest 2 of node 1", 2, 1000],
    ]);
    expect(rows[3]?.rest).toEqual({ from: 2, count: 998, shallowSize: 3998, retainedSize: 39 });
  });

  it("are classes of what each node dominates, and their nodes", () => {
    const known = { childCount: 9, childShallowSize: 90, childRetainedSize: 99 };
    const root = { ...node(1, 100, undefined, true), ...known };
    const group = { coarseType: "Object", className: "Array", count: 7, shallowSize: 70, retainedSize: 77, largestNodeId: 20 };
    const tree = {
      groups: new Map([[1, { groups: [group], groupCount: 3 }]]),
      members: new Map([[groupKey(group), [node(20, 30), node(21, 10, undefined, true)]]]),
      expanded: new Set([nodeKey(1), groupKey(group), nodeKey(21)]),
    };
    const rows = classRows(root, tree);
    expect(rows.map(({ key, level, parent }) => [level, key, parent])).toEqual([
      [0, "node 1", ""],
      [1, "class 20", "node 1"],
      [2, "node 20", "class 20"],
      [2, "node 21", "class 20"],
      [3, "fetching node 21", "node 21"],
      [2, "rest 2 of class 20", "class 20"],
      [1, "rest 1 of node 1", "node 1"],
    ]);
    expect(rows[5]?.rest).toEqual({ from: 2, count: 5, shallowSize: 68, retainedSize: 37 });
    expect(rows[6]?.rest).toEqual({ from: 1, count: 2, shallowSize: 20, retainedSize: 22 });
    expect(rows[3]?.path).toEqual([1, 21]);
    expect(groupLabel(group)).toEqual(["objects", "Array"]);
    expect(classRows(null, tree)).toEqual([]);
  });

  it("that are no nodes come after the nearest node before them", () => {
    const rows = dominatorRows(tree, new Set([1, 2]));
    expect(rows[4]?.kind).toBe("rest");
    expect([-1, 0, 3, 4, 99].map((at) => nodeUpTo(rows, at)?.nodeId)).toEqual([undefined, 1, 4, 4, 5]);
  });
});
