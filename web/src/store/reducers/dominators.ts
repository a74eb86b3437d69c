// SPDX-License-Identifier: MIT
// The dominator tree of one snapshot: what each action makes of it.
import type { DominatorTreeNode, NodeId } from "../../types/heap";
import { DOMINATORS, type DominatorTreeModel } from "../models";
import { changed } from "./census";

export function computingTree(): DominatorTreeModel {
  return {
    state: DOMINATORS.COMPUTING,
    dominatorTreeId: null,
    root: null,
    expanded: new Set(),
    focused: null,
    display: null,
    activeFetchRequestCount: 0,
    error: null,
  };
}

/** The node of an id; null: the tree has not got it. */
export function nodeFound(root: DominatorTreeNode | null, id: NodeId): DominatorTreeNode | null {
  for (const stack = root ? [root] : []; stack.length > 0; ) {
    const node = stack.pop() as DominatorTreeNode;
    if (node.nodeId === id) {
      return node;
    }
    stack.push(...(node.children ?? []));
  }
  return null;
}

/** With further children under the last node of the path. Nodes beside the path stay the same objects. */
export function withChildren(root: DominatorTreeNode, path: NodeId[], nodes: DominatorTreeNode[], hasMore: boolean): DominatorTreeNode {
  const way: DominatorTreeNode[] = [];
  for (const id of path) {
    const next =
      way.length === 0 ? (root.nodeId === id ? root : undefined) : way[way.length - 1]?.children?.find((node) => node.nodeId === id);
    if (!next) {
      return root;
    }
    way.push(next);
  }
  const last = way.pop();
  if (!last) {
    return root;
  }
  let copy: DominatorTreeNode = { ...last, children: [...(last.children ?? []), ...nodes], moreChildrenAvailable: hasMore };
  for (const node of way.reverse()) {
    const child = copy;
    copy = { ...node, children: node.children?.map((one) => (one.nodeId === child.nodeId ? child : one)) ?? [] };
  }
  return copy;
}

const LEVELS_OPEN_AT_FIRST = 2;

/** The root and its children are open when a tree comes. */
function openAtFirst(root: DominatorTreeNode): ReadonlySet<NodeId> {
  const open = new Set<NodeId>();
  let level = [root];
  for (let depth = 0; depth < LEVELS_OPEN_AT_FIRST; depth++) {
    level.filter((node) => node.children).forEach((node) => open.add(node.nodeId));
    level = level.flatMap((node) => node.children ?? []);
  }
  return open;
}

export function loadedTree(tree: DominatorTreeModel, root: DominatorTreeNode): DominatorTreeModel {
  const focused = tree.focused && nodeFound(root, tree.focused.nodeId);
  return { ...tree, state: DOMINATORS.LOADED, root, expanded: openAtFirst(root), focused };
}

export function withFetches(tree: DominatorTreeModel, change: 1 | -1): DominatorTreeModel {
  const count = tree.activeFetchRequestCount + change;
  return { ...tree, activeFetchRequestCount: count, state: count > 0 ? DOMINATORS.INCREMENTAL_FETCHING : DOMINATORS.LOADED };
}

export function withOpen(tree: DominatorTreeModel, node: DominatorTreeNode, isOpen: boolean): DominatorTreeModel {
  return { ...tree, expanded: changed(tree.expanded, node.nodeId, isOpen) };
}
