// SPDX-License-Identifier: MIT
// The dominator tree of one snapshot: what each action makes of it.
import { nodeKey, restKey, type ClassTree } from "../../logic/dominator_rows";
import { stepsOf, withChildren, withWay } from "../../logic/dominator_tree";
import type { DominatedGroup, DominatorTreeNode, DominatorWay, NodeId } from "../../types/heap";
import { DOMINATORS, type DominatorTreeModel } from "../models";
import { changed } from "./census";

const NO_CLASSES: ClassTree = { groups: new Map(), members: new Map(), expanded: new Set() };

export function computingTree(): DominatorTreeModel {
  return {
    state: DOMINATORS.COMPUTING,
    dominatorTreeId: null,
    root: null,
    deep: null,
    expanded: new Set(),
    byClass: NO_CLASSES,
    focused: null,
    focusedRow: null,
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
    for (const child of node.children ?? []) {
      stack.push(child);
    }
  }
  return null;
}

/** The node of an id in what has come of a tree. */
export function nodeInTree({ deep, root }: DominatorTreeModel, id: NodeId): DominatorTreeNode | null {
  return nodeFound(deep?.top ?? null, id) ?? nodeFound(root, id);
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
  const focusedRow = focused && nodeKey(focused.nodeId);
  return { ...tree, state: DOMINATORS.LOADED, root, deep: null, expanded: openAtFirst(root), byClass: NO_CLASSES, focused, focusedRow };
}

export function withFetches(tree: DominatorTreeModel, change: 1 | -1): DominatorTreeModel {
  const count = tree.activeFetchRequestCount + change;
  return { ...tree, activeFetchRequestCount: count, state: count > 0 ? DOMINATORS.INCREMENTAL_FETCHING : DOMINATORS.LOADED };
}

export function withOpen(tree: DominatorTreeModel, node: DominatorTreeNode, isOpen: boolean): DominatorTreeModel {
  return { ...tree, expanded: changed(tree.expanded, node.nodeId, isOpen) };
}

/** The focus of a rest that was opened is on the first that came of it. */
function withFocusMoved(tree: DominatorTreeModel, rest: string, first: DominatorTreeNode | undefined): DominatorTreeModel {
  return tree.focusedRow === rest && first ? { ...tree, focused: first, focusedRow: nodeKey(first.nodeId) } : tree;
}

export interface Dominated {
  path: NodeId[];
  startIndex: number;
  nodes: DominatorTreeNode[];
  moreChildrenAvailable: boolean;
}

export function withDominated(tree: DominatorTreeModel, { path, startIndex, nodes, moreChildrenAvailable }: Dominated): DominatorTreeModel {
  const root = tree.root && withChildren(tree.root, path, startIndex, nodes, moreChildrenAvailable);
  const deep = tree.deep && { ...tree.deep, top: withChildren(tree.deep.top, path, startIndex, nodes, moreChildrenAvailable) };
  const focused = tree.focused && (nodeInTree({ ...tree, root, deep }, tree.focused.nodeId) ?? tree.focused);
  const parent = path[path.length - 1];
  const own = { ...tree, root, deep, focused };
  return parent === undefined ? own : withFocusMoved(own, restKey(nodeKey(parent), startIndex), nodes[0]);
}

/** With the way to a node opened, and the focus on it. */
export function revealed(tree: DominatorTreeModel, way: DominatorWay): DominatorTreeModel {
  const steps = stepsOf(way.top);
  const deep = way.levelsAbove > 0 ? way : null;
  const root = tree.root && !deep ? withWay(tree.root, way.top) : tree.root;
  const last = steps[steps.length - 1] as DominatorTreeNode;
  const expanded = new Set([...tree.expanded, ...steps.slice(0, -1).map(({ nodeId }) => nodeId)]);
  return { ...tree, root, deep, expanded, focused: nodeInTree({ ...tree, root, deep }, last.nodeId), focusedRow: nodeKey(last.nodeId) };
}

export function fromRoot(tree: DominatorTreeModel): DominatorTreeModel {
  return { ...tree, deep: null, focused: null, focusedRow: null };
}

// ---- by class -------------------------------------------------------------------------------------------------------------

function withClasses(tree: DominatorTreeModel, change: Partial<ClassTree>): DominatorTreeModel {
  return { ...tree, byClass: { ...tree.byClass, ...change } };
}

export function withOpenRow(tree: DominatorTreeModel, key: string, isOpen: boolean): DominatorTreeModel {
  return withClasses(tree, { expanded: changed(tree.byClass.expanded, key, isOpen) });
}

export function withGroups(tree: DominatorTreeModel, node: NodeId, groups: DominatedGroup[], groupCount: number): DominatorTreeModel {
  return withClasses(tree, { groups: new Map(tree.byClass.groups).set(node, { groups, groupCount }) });
}

/** With further members of a group, behind those that are there. */
export function withMembers(tree: DominatorTreeModel, key: string, startIndex: number, nodes: DominatorTreeNode[]): DominatorTreeModel {
  const known = tree.byClass.members.get(key) ?? [];
  if (known.length !== startIndex) {
    return tree;
  }
  const own = withClasses(tree, { members: new Map(tree.byClass.members).set(key, [...known, ...nodes]) });
  return withFocusMoved(own, restKey(key, startIndex), nodes[0]);
}
