// SPDX-License-Identifier: MIT
// Dominator trees of which only some nodes are here: what is missing between those that came has exact sums.
import type { Bytes, DominatorTreeNode, NodeId } from "../types/heap";

/** Siblings beside each other that have not come. */
export interface Rest {
  /** The index of the first. */
  from: number;
  /** null: the server did not say how many there are. */
  count: number | null;
  shallowSize: Bytes;
  retainedSize: Bytes;
}

export type ChildPart = { node: DominatorTreeNode; index: number; rest?: undefined } | { rest: Rest; node?: undefined };

/** What a node dominates immediately, in order: those that have come, and the rests between and behind them. */
export function childPartsOf(parent: DominatorTreeNode): ChildPart[] {
  const parts: ChildPart[] = [];
  let [index, shallowSize, retainedSize] = [0, 0, 0];
  const skip = (to: { index: number; shallowSize: Bytes; retainedSize: Bytes }) => {
    const sums = { shallowSize: to.shallowSize - shallowSize, retainedSize: to.retainedSize - retainedSize };
    parts.push({ rest: { from: index, count: to.index - index, ...sums } });
    ({ index, shallowSize, retainedSize } = to);
  };
  for (const node of parent.children ?? []) {
    if (node.place && node.place.index > index) {
      skip(node.place);
    }
    parts.push({ node, index });
    index++;
    shallowSize += node.shallowSize;
    retainedSize += node.retainedSize;
  }
  const { childCount, childShallowSize = 0, childRetainedSize = 0 } = parent;
  if (childCount !== undefined && childCount > index) {
    skip({ index: childCount, shallowSize: childShallowSize, retainedSize: childRetainedSize });
  } else if (childCount === undefined && parent.moreChildrenAvailable) {
    parts.push({ rest: { from: index, count: null, shallowSize: 0, retainedSize: 0 } });
  }
  return parts;
}

/** With further children from an index on; those that are there stay the same objects. */
export function withChildrenAt(parent: DominatorTreeNode, start: number, nodes: DominatorTreeNode[], hasMore: boolean): DominatorTreeNode {
  const placed = new Map<number, DominatorTreeNode>();
  for (const part of childPartsOf(parent)) {
    if (part.node) {
      placed.set(part.index, part.node);
    }
  }
  nodes.forEach((node, at) => placed.has(start + at) || placed.set(start + at, node));
  const children = [...placed.entries()].sort(([a], [b]) => a - b).map(([, node]) => node);
  const { childCount } = parent;
  return { ...parent, children, moreChildrenAvailable: childCount === undefined ? hasMore : children.length < childCount };
}

/** The nodes along a path of ids that begins at the root; as far as they are there. */
function nodesAlong(root: DominatorTreeNode, path: readonly NodeId[]): DominatorTreeNode[] {
  const way: DominatorTreeNode[] = [];
  for (const id of path) {
    const last = way[way.length - 1];
    const next = last ? last.children?.find((node) => node.nodeId === id) : root.nodeId === id ? root : undefined;
    if (!next) {
      break;
    }
    way.push(next);
  }
  return way;
}

/** The root, when the last node of a way from it has become another. */
function replacedAlong(way: DominatorTreeNode[], last: DominatorTreeNode): DominatorTreeNode {
  let copy = last;
  for (const node of way.slice(0, -1).reverse()) {
    const child = copy;
    copy = { ...node, children: node.children?.map((one) => (one.nodeId === child.nodeId ? child : one)) ?? [] };
  }
  return copy;
}

/** With further children under the last node of a path, from an index on. Nodes beside the path stay the same objects. */
export function withChildren(
  root: DominatorTreeNode,
  path: readonly NodeId[],
  start: number,
  nodes: DominatorTreeNode[],
  hasMore: boolean,
): DominatorTreeNode {
  const way = nodesAlong(root, path);
  const last = way[way.length - 1];
  return last && way.length === path.length ? replacedAlong(way, withChildrenAt(last, start, nodes, hasMore)) : root;
}

/** Nodes of a tree in which each has one child, from the top. */
export function stepsOf(way: DominatorTreeNode): DominatorTreeNode[] {
  const steps: DominatorTreeNode[] = [];
  for (let step: DominatorTreeNode | undefined = way; step; step = step.children?.[0]) {
    steps.push(step);
  }
  return steps;
}

/** With a way from the root, of which the lower part may be missing so far. */
export function withWay(root: DominatorTreeNode, way: DominatorTreeNode): DominatorTreeNode {
  const steps = stepsOf(way);
  const known = nodesAlong(
    root,
    steps.map((step) => step.nodeId),
  );
  const last = known[known.length - 1];
  const next = steps[known.length];
  return last && next?.place ? replacedAlong(known, withChildrenAt(last, next.place.index, [next], true)) : root;
}
