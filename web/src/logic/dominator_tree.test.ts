// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { DominatorTreeNode } from "../types/heap";
import { childPartsOf, stepsOf, withChildren, withChildrenAt, withWay } from "./dominator_tree";

const node = (nodeId: number, retainedSize: number, more: Partial<DominatorTreeNode> = {}): DominatorTreeNode => {
  return { nodeId, label: [], shallowSize: 1, retainedSize, moreChildrenAvailable: false, ...more };
};
/** Of ten children, that retain 19, 17, ... 1: the first two. */
const SIZES = [19, 17, 15, 13, 11, 9, 7, 5, 3, 1];
const sumOf = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0);
const known = { childCount: 10, childShallowSize: 10, childRetainedSize: sumOf(SIZES), moreChildrenAvailable: true };
const child = (index: number) => node(10 + index, SIZES[index] ?? 0);
const parent = node(1, 101, { ...known, children: [child(0), child(1)] });

/** "10 11 [8: 8 64]" for two nodes and a rest of eight. */
function text(one: DominatorTreeNode): string {
  const parts = childPartsOf(one).map(({ node: own, rest }) => {
    return rest ? `[${rest.from}+${rest.count}: ${rest.shallowSize} ${rest.retainedSize}]` : `${own.nodeId}`;
  });
  return parts.join(" ");
}

const placed = (index: number, more: Partial<DominatorTreeNode> = {}): DominatorTreeNode => ({
  ...child(index),
  ...more,
  place: { index, shallowSize: index, retainedSize: sumOf(SIZES.slice(0, index)) },
});

describe("parts of a dominator tree", () => {
  it("that are missing are exact", () => {
    expect(text(parent)).toBe("10 11 [2+8: 8 64]");
    expect(text(node(1, 5))).toBe("");
    expect(text(node(1, 5, { moreChildrenAvailable: true, children: [node(2, 3)] }))).toBe("2 [1+null: 0 0]");
  });

  it("come in any order, and stay the same objects", () => {
    const far = withChildrenAt(parent, 6, [placed(6)], true);
    expect(text(far)).toBe("10 11 [2+4: 4 48] 16 [7+3: 3 9]");
    const next = withChildrenAt(far, 2, [child(2), child(3)], true);
    expect(text(next)).toBe("10 11 12 13 [4+2: 2 20] 16 [7+3: 3 9]");
    const all = withChildrenAt(withChildrenAt(next, 4, [child(4), child(5), child(6)], true), 7, [7, 8, 9].map(child), false);
    expect(text(all)).toBe("10 11 12 13 14 15 16 17 18 19");
    expect([far.moreChildrenAvailable, all.moreChildrenAvailable]).toEqual([true, false]);
    expect(all.children?.[6]).toBe(far.children?.[2]);
  });

  it("are added below a path; what is beside it stays", () => {
    const root = node(0, 200, { children: [parent, node(2, 3)], moreChildrenAvailable: false });
    const more = withChildren(root, [0, 1], 2, [child(2)], true);
    expect(text(more.children?.[0] as DominatorTreeNode)).toBe("10 11 12 [3+7: 7 49]");
    expect(more.children?.[1]).toBe(root.children?.[1]);
    expect(withChildren(root, [0, 77], 0, [child(2)], true)).toBe(root);
    expect(withChildren(root, [], 0, [child(2)], true)).toBe(root);
  });

  it("are opened along a way from the root", () => {
    const root = node(0, 200, { children: [parent], childCount: 1, childShallowSize: 1, childRetainedSize: 101 });
    const inner = placed(5, { childCount: 2, childShallowSize: 2, childRetainedSize: 8 });
    const below = node(99, 3, { place: { index: 1, shallowSize: 1, retainedSize: 5 } });
    const way = { ...node(0, 200), children: [{ ...node(1, 101), children: [{ ...inner, children: [below] }] }] };
    expect(stepsOf(way).map(({ nodeId }) => nodeId)).toEqual([0, 1, 15, 99]);
    const found = withWay(root, way);
    const opened = found.children?.[0] as DominatorTreeNode;
    expect(text(opened)).toBe("10 11 [2+3: 3 39] 15 [6+4: 4 16]");
    expect(text(opened.children?.[2] as DominatorTreeNode)).toBe("[0+1: 1 5] 99");
    expect(withWay(found, way)).toBe(found);
  });
});
