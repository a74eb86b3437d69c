// SPDX-License-Identifier: MIT
// Trees of which only some rows are here. Every parent whose children were asked for has a list, which knows how many there are and has
// those that came. What is visible is found by counting whole subtrees: nothing is as large as the tree.
import type { Bytes, CensusPage, CensusRow, RowId } from "../types/heap";

/** Where a row is: the `index`th child of its parent. */
export interface PlacedRow extends CensusRow {
  parent: RowId;
  index: number;
}

export interface RowList {
  childCount: number;
  /** By index; those that have not come are missing. */
  ids: Record<number, RowId>;
}

export interface RowTree {
  root: RowId;
  totalBytes: Bytes;
  totalCount: number;
  lists: Record<RowId, RowList>;
  rows: Record<RowId, PlacedRow>;
}

/** Of one list so many rows are kept at most; then those far from the newest are dropped, and asked for again when they are looked at. */
const MOST_ROWS = 3000;
const NEAR_ROWS = 1000;

/** A tree that has the first page of the root. */
export function treeOfPage(page: CensusPage): RowTree {
  const empty = { root: page.parent, totalBytes: page.totalBytes, totalCount: page.totalCount, lists: {}, rows: {} };
  return treeWithPage(empty, page);
}

/**
 * @param held  a row that is not dropped, besides those whose children are here.
 * @param most  rows of one list that are kept at least.
 */
export function treeWithPage(tree: RowTree, page: CensusPage, held: RowId | null = null, most = MOST_ROWS): RowTree {
  const ids = { ...tree.lists[page.parent]?.ids };
  const rows = { ...tree.rows };
  page.rows.forEach((row, at) => {
    const index = page.offset + at;
    ids[index] = row.id;
    rows[row.id] = { ...row, parent: page.parent, index };
  });
  const known = Object.entries(ids);
  for (const [index, id] of known.length > most ? known : []) {
    if (Math.abs(Number(index) - page.offset) > NEAR_ROWS && id !== held && !tree.lists[id]) {
      delete ids[Number(index)];
      delete rows[id];
    }
  }
  return { ...tree, rows, lists: { ...tree.lists, [page.parent]: { childCount: page.childCount, ids } } };
}

/** The visible rows below one parent. */
interface Layout {
  parent: RowId;
  level: number;
  childCount: number;
  /** Children that are expanded, by index. */
  expanded: { index: number; layout: Layout }[];
  /** Visible rows, at any depth. */
  size: number;
}

export interface VisibleRow {
  /** null: it has not come. */
  row: PlacedRow | null;
  parent: RowId;
  index: number;
  /** Levels above it; 0 for the root's children. */
  level: number;
  siblingCount: number;
}

/** What is visible of a tree, with the rows in `expanded` opened. */
export interface VisibleRows {
  readonly length: number;
  at(position: number): VisibleRow | null;
  /** -1: it is not visible. */
  positionOf(id: RowId): number;
}

/** Rows that are opened and have a list, below their parents. */
function openedBelow(tree: RowTree, expanded: ReadonlySet<RowId>): Map<RowId, PlacedRow[]> {
  const below = new Map<RowId, PlacedRow[]>();
  for (const id of expanded) {
    const row = tree.rows[id];
    if (row && tree.lists[id]) {
      const siblings = below.get(row.parent);
      if (siblings) {
        siblings.push(row);
      } else {
        below.set(row.parent, [row]);
      }
    }
  }
  for (const rows of below.values()) {
    rows.sort((a, b) => a.index - b.index);
  }
  return below;
}

/** From the leaves up, without recursion: trees of stacks are deep. */
function layoutOf(tree: RowTree, expanded: ReadonlySet<RowId>): Layout {
  const below = openedBelow(tree, expanded);
  const make = (parent: RowId, level: number): Layout => {
    const childCount = tree.lists[parent]?.childCount ?? 0;
    return { parent, level, childCount, expanded: [], size: childCount };
  };
  const root = make(tree.root, 0);
  const order = [root];
  const above = new Map<Layout, Layout>();
  for (let at = 0; at < order.length; at++) {
    const layout = order[at] as Layout;
    for (const row of below.get(layout.parent) ?? []) {
      const child = make(row.id, layout.level + 1);
      layout.expanded.push({ index: row.index, layout: child });
      above.set(child, layout);
      order.push(child);
    }
  }
  for (const layout of order.reverse()) {
    const parent = above.get(layout);
    if (parent) {
      parent.size += layout.size;
    }
  }
  return root;
}

export function visibleRows(tree: RowTree, expanded: ReadonlySet<RowId>): VisibleRows {
  const root = layoutOf(tree, expanded);

  function at(position: number): VisibleRow | null {
    let layout = root;
    let left = position;
    if (position < 0 || position >= root.size) {
      return null;
    }
    for (;;) {
      // Rows of earlier siblings' subtrees come before.
      let before = 0;
      let inside: Layout | null = null;
      for (const child of layout.expanded) {
        const start = child.index + before + 1;
        if (left < start) {
          break;
        }
        if (left < start + child.layout.size) {
          inside = child.layout;
          left -= start;
          break;
        }
        before += child.layout.size;
      }
      if (inside) {
        layout = inside;
        continue;
      }
      const index = left - before;
      const id = tree.lists[layout.parent]?.ids[index];
      const row = id === undefined ? null : (tree.rows[id] ?? null);
      return { row, parent: layout.parent, index, level: layout.level, siblingCount: layout.childCount };
    }
  }

  /** The layouts from the root's down to that of the row's siblings; null: some row above is closed. */
  function wayTo(row: PlacedRow): Layout[] | null {
    const parents: RowId[] = [];
    for (let id = row.parent; id !== tree.root; ) {
      const parent = tree.rows[id];
      if (!parent) {
        return null;
      }
      parents.unshift(id);
      id = parent.parent;
    }
    const way = [root];
    for (const id of parents) {
      const next = way[way.length - 1]?.expanded.find((child) => child.layout.parent === id);
      if (!next) {
        return null;
      }
      way.push(next.layout);
    }
    return way;
  }

  function positionOf(id: RowId): number {
    const row = tree.rows[id];
    const way = row && wayTo(row);
    if (!row || !way) {
      return -1;
    }
    let position = -1;
    way.forEach((layout, depth) => {
      const below = way[depth + 1];
      const index = below ? (tree.rows[below.parent]?.index ?? 0) : row.index;
      const earlier = layout.expanded.filter((child) => child.index < index);
      position += 1 + index + earlier.reduce((sum, child) => sum + child.layout.size, 0);
    });
    return position;
  }

  return { length: root.size, at, positionOf };
}
