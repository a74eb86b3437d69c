// SPDX-License-Identifier: MIT
// What is visible of a dominator tree: nodes, and rows that stand for those that have not come.
import type { DominatorTreeNode, NodeId } from "../types/heap";

export interface DominatorRow {
  node: DominatorTreeNode;
  /** Ids from the root to the node. */
  path: NodeId[];
  level: number;
  index: number;
  siblingCount: number;
  /** "more": not a node, but its further children, which a click brings; "fetching": its first, which are on their way. */
  kind: "node" | "more" | "fetching";
}

export function dominatorRows(root: DominatorTreeNode | null, expanded: ReadonlySet<NodeId>): DominatorRow[] {
  const rows: DominatorRow[] = [];
  const stack: DominatorRow[] = root ? [{ node: root, path: [root.nodeId], level: 0, index: 0, siblingCount: 1, kind: "node" }] : [];
  while (stack.length > 0) {
    const row = stack.pop() as DominatorRow;
    rows.push(row);
    const { node, path, level } = row;
    if (row.kind !== "node" || !expanded.has(node.nodeId)) {
      continue;
    }
    const children = node.children ?? [];
    const siblingCount = children.length;
    if (node.moreChildrenAvailable) {
      stack.push({ node, path, level: level + 1, index: siblingCount, siblingCount, kind: siblingCount === 0 ? "fetching" : "more" });
    }
    for (let index = siblingCount - 1; index >= 0; index--) {
      const child = children[index] as DominatorTreeNode;
      stack.push({ node: child, path: [...path, child.nodeId], level: level + 1, index, siblingCount, kind: "node" });
    }
  }
  return rows;
}

const BIG_DROP = 0.5;

/**
 * The next row, from one on, whose largest child keeps less than half of what it keeps: there the memory is spread, or is its own.
 * -1: there is none among those that have come.
 */
export function nextBigDrop(rows: readonly DominatorRow[], from: number): number {
  for (let at = from + 1; at < rows.length; at++) {
    const row = rows[at] as DominatorRow;
    const largest = row.node.children?.[0]?.retainedSize;
    if (row.kind === "node" && largest !== undefined && largest < row.node.retainedSize * BIG_DROP) {
      return at;
    }
  }
  return -1;
}
