// SPDX-License-Identifier: MIT
// What is visible of a dominator tree: nodes, groups of one class, and rows that stand for those that have not come.
import type { DominatedGroup, DominatorTreeNode, NodeId } from "../types/heap";
import { childPartsOf, type Rest } from "./dominator_tree";

export interface DominatorRow {
  /** Names the row as long as it is there. */
  key: string;
  /**
   * "rest": siblings that have not come, which are below `node`; "fetching": the first, which are on their way; "class": a group of those
   * that `node` dominates.
   */
  kind: "node" | "rest" | "fetching" | "class";
  node: DominatorTreeNode;
  /** Ids from the root to the node. */
  path: NodeId[];
  level: number;
  index: number;
  siblingCount: number;
  isExpandable: boolean;
  isExpanded: boolean;
  /** Key of the row above it; "": there is none. */
  parent: string;
  rest?: Rest;
  group?: DominatedGroup;
}

export const nodeKey = (id: NodeId) => `node ${id}`;
export const restKey = (parent: string, from: number) => `rest ${from} of ${parent}`;
/** Of a group: any group has one largest node, which is in no other. */
export const groupKey = ({ largestNodeId }: DominatedGroup) => `class ${largestNodeId}`;

/** Rows in order: each visible row, then those that `below` gives for it. */
function rowsFrom(first: DominatorRow | null, below: (row: DominatorRow) => DominatorRow[]): DominatorRow[] {
  const rows: DominatorRow[] = [];
  for (const stack = first ? [first] : []; stack.length > 0; ) {
    const row = stack.pop() as DominatorRow;
    rows.push(row);
    const inside = row.isExpanded ? below(row) : [];
    for (let at = inside.length - 1; at >= 0; at--) {
      stack.push(inside[at] as DominatorRow);
    }
  }
  return rows;
}

type Below = Pick<DominatorRow, "kind" | "key" | "index" | "siblingCount" | "isExpandable" | "isExpanded"> & Partial<DominatorRow>;

function rowBelow(row: DominatorRow, own: Below): DominatorRow {
  return { node: row.node, path: row.path, level: row.level + 1, parent: row.key, ...own };
}

function restBelow(row: DominatorRow, rest: Rest, siblingCount: number): DominatorRow {
  const place = { index: rest.from, siblingCount, isExpandable: true, isExpanded: false };
  return rowBelow(row, { kind: "rest", key: restKey(row.key, rest.from), ...place, rest });
}

function fetchingBelow(row: DominatorRow): DominatorRow {
  const place = { index: 0, siblingCount: 1, isExpandable: false, isExpanded: false };
  return rowBelow(row, { kind: "fetching", key: `fetching ${row.key}`, ...place });
}

const isParent = (node: DominatorTreeNode) => node.moreChildrenAvailable || (node.childCount ?? node.children?.length ?? 0) > 0;

function nodeBelow(row: DominatorRow, node: DominatorTreeNode, index: number, siblingCount: number, isExpanded: boolean): DominatorRow {
  const place = { index, siblingCount, isExpandable: isParent(node), isExpanded };
  return rowBelow(row, { kind: "node", key: nodeKey(node.nodeId), node, path: [...row.path, node.nodeId], ...place });
}

function firstRow(root: DominatorTreeNode | null, isExpanded: boolean): DominatorRow | null {
  const place = { level: 0, index: 0, siblingCount: 1, parent: "" };
  return (
    root && { kind: "node", key: nodeKey(root.nodeId), node: root, path: [root.nodeId], ...place, isExpandable: isParent(root), isExpanded }
  );
}

/** Nodes below the node that dominates them. */
export function dominatorRows(root: DominatorTreeNode | null, expanded: ReadonlySet<NodeId>): DominatorRow[] {
  return rowsFrom(firstRow(root, root !== null && expanded.has(root.nodeId)), (row) => {
    const { node } = row;
    const siblingCount = node.childCount ?? node.children?.length ?? 0;
    if ((node.children?.length ?? 0) === 0 && node.moreChildrenAvailable) {
      return [fetchingBelow(row)];
    }
    return childPartsOf(node).map((part) =>
      part.rest
        ? restBelow(row, part.rest, siblingCount)
        : nodeBelow(row, part.node, part.index, siblingCount, expanded.has(part.node.nodeId)),
    );
  });
}

/** What is known of a tree by class. */
export interface ClassTree {
  /** Groups of what a node dominates, those first that retain most; and how many there are, come or not. */
  groups: ReadonlyMap<NodeId, { groups: DominatedGroup[]; groupCount: number }>;
  /** By the key of a group. */
  members: ReadonlyMap<string, DominatorTreeNode[]>;
  /** Keys of rows. */
  expanded: ReadonlySet<string>;
}

function sumOf<One>(list: readonly One[], value: (one: One) => number): number {
  return list.reduce((sum, one) => sum + value(one), 0);
}

/** What of some sums the listed ones leave. */
function restOf(
  count: number,
  of: { shallowSize: number; retainedSize: number },
  listed: readonly { shallowSize: number; retainedSize: number }[],
): Rest | null {
  const shallowSize = of.shallowSize - sumOf(listed, (one) => one.shallowSize);
  const retainedSize = of.retainedSize - sumOf(listed, (one) => one.retainedSize);
  return count > listed.length ? { from: listed.length, count: count - listed.length, shallowSize, retainedSize } : null;
}

function groupsBelow(row: DominatorRow, tree: ClassTree): DominatorRow[] {
  const { node } = row;
  const known = tree.groups.get(node.nodeId);
  if (!known) {
    return [fetchingBelow(row)];
  }
  const { groups, groupCount } = known;
  const rows = groups.map((group, index) => {
    const key = groupKey(group);
    const place = { index, siblingCount: groupCount, isExpandable: true, isExpanded: tree.expanded.has(key) };
    return rowBelow(row, { kind: "class", key, ...place, group });
  });
  const whole = { shallowSize: node.childShallowSize ?? 0, retainedSize: node.childRetainedSize ?? 0 };
  const rest = restOf(groupCount, whole, groups);
  return rest ? [...rows, restBelow(row, rest, groupCount)] : rows;
}

function membersBelow(row: DominatorRow, group: DominatedGroup, tree: ClassTree): DominatorRow[] {
  const members = tree.members.get(row.key);
  if (!members) {
    return [fetchingBelow(row)];
  }
  const rows = members.map((node, index) => nodeBelow(row, node, index, group.count, tree.expanded.has(nodeKey(node.nodeId))));
  const rest = restOf(group.count, group, members);
  return rest ? [...rows, restBelow(row, rest, group.count)] : rows;
}

/** Below each node the classes of what it dominates, below each class its nodes. */
export function classRows(root: DominatorTreeNode | null, tree: ClassTree): DominatorRow[] {
  return rowsFrom(firstRow(root, root !== null && tree.expanded.has(nodeKey(root.nodeId))), (row) =>
    row.group ? membersBelow(row, row.group, tree) : groupsBelow(row, tree),
  );
}

/** The node that a row is, or the nearest before it: what is looked for after a row of another kind is looked for after that. */
export function nodeUpTo(rows: readonly DominatorRow[], position: number): DominatorTreeNode | null {
  for (let at = Math.min(position, rows.length - 1); at >= 0; at--) {
    if (rows[at]?.kind === "node") {
      return rows[at]?.node ?? null;
    }
  }
  return null;
}

/** What labels call coarse types. */
const COARSE: Record<string, string> = { Object: "objects", Script: "scripts", String: "strings", DOMNode: "domNode", Other: "other" };

/** What a group is called, as the label of its nodes. */
export function groupLabel({ coarseType, className, typeName }: DominatedGroup): string[] {
  return [COARSE[coarseType] ?? coarseType, className ?? typeName ?? ""];
}
