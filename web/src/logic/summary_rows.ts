// SPDX-License-Identifier: MIT
// What is visible of a list of classes, of which only some have come: classes, and below those that are open their objects.
import type { Documents } from "../types/documents";
import { formatNumber } from "./format";
import { moreRows } from "./commands";

type Summary = Documents["ubiheap.summary/1"];
export type ClassRow = Summary["classes"][number];
export type ClassNode = NonNullable<ClassRow["nodes"]>[number];

/** Objects of a class that is open: the first of all, those that retain most. */
export interface OpenClass {
  /** Its place in the list. */
  index: number;
  row: ClassRow;
  /** null: they are on their way. */
  nodes: ClassNode[] | null;
}

export interface ClassList {
  count: number;
  /** By index; those that have not come are missing. */
  rows: Readonly<Record<number, ClassRow>>;
  /** By key. */
  open: ReadonlyMap<string, OpenClass>;
}

/** A class has a name and a place: several may have the one or the other. */
export function summaryKey({ name, place }: ClassRow): string {
  return place ? `${name} ${place}` : name;
}

export type SummaryRow =
  | { kind: "class"; key: string; index: number; row: ClassRow; isOpen: boolean }
  | { kind: "node"; key: string; index: number; row: ClassRow; node: ClassNode; at: number }
  | { kind: "rest" | "fetching"; key: string; index: number; row: ClassRow; at: number; count: number };

export const nodeRowKey = (id: ClassNode["id"]) => `node ${id}`;

/** Rows below an open class. */
function lengthBelow({ row, nodes }: OpenClass): number {
  return nodes === null ? 1 : nodes.length + (nodes.length < row.count ? 1 : 0);
}

function rowBelow(of: OpenClass, at: number): SummaryRow {
  const { index, row, nodes } = of;
  const key = summaryKey(row);
  const node = nodes?.[at];
  if (node) {
    return { kind: "node", key: nodeRowKey(node.id), index, row, node, at };
  }
  return { kind: nodes ? "rest" : "fetching", key: `rest of ${key}`, index, row, at, count: row.count - (nodes?.length ?? 0) };
}

export interface VisibleClasses {
  length: number;
  /** null: the class has not come. */
  at(position: number): SummaryRow | null;
  /** Where a class is. */
  positionOf(index: number): number;
  /** The class that a position is in. */
  indexAt(position: number): number;
}

export function visibleClasses({ count, rows, open }: ClassList): VisibleClasses {
  const opened = [...open.values()].sort((a, b) => a.index - b.index);
  const positionOf = (index: number) => opened.reduce((sum, one) => sum + (one.index < index ? lengthBelow(one) : 0), index);
  /** The class, and which row below it; -1: itself. */
  const place = (position: number) => {
    let before = 0;
    for (const one of opened) {
      const start = one.index + before;
      if (position <= start) {
        break;
      }
      if (position <= start + lengthBelow(one)) {
        return { index: one.index, below: one, at: position - start - 1 };
      }
      before += lengthBelow(one);
    }
    return { index: position - before, below: null, at: -1 };
  };
  return {
    length: opened.reduce((sum, one) => sum + lengthBelow(one), count),
    positionOf,
    indexAt: (position) => place(position).index,
    at: (position) => {
      const { index, below, at } = place(position);
      if (below) {
        return rowBelow(below, at);
      }
      const row = rows[index];
      return row ? { kind: "class", key: summaryKey(row), index, row, isOpen: open.has(summaryKey(row)) } : null;
    },
  };
}

/** The server's names for orders, by columns of the page; its own directions are from large to small, of words from A to Z. */
const ORDERS: Record<string, { sort: string; isUp: boolean }> = {
  retained: { sort: "retained", isUp: false },
  self: { sort: "self", isUp: false },
  count: { sort: "count", isUp: false },
  distance: { sort: "distance", isUp: true },
  name: { sort: "name", isUp: true },
};

/** "-count", "+name" and so on, as the server takes them; "" its own order, by what is retained. */
export function summaryOrder(sort: string): { sort: string; reversed: boolean } {
  const order = ORDERS[sort.slice(1)] ?? ORDERS["retained"]!;
  const isUp = sort.startsWith("+");
  return { sort: order.sort, reversed: sort !== "" && isUp !== order.isUp };
}

export const SUMMARY_TITLES = ["retainedSize", "selfSize", "count", "distance", "name", "place", "nodeId"];

/** Rows that are visible, as they are copied: `most` at most, and a last one that says how many there are besides. */
export function summaryCells(visible: VisibleClasses, most: number): (string | number | null)[][] {
  const cells: (string | number | null)[][] = [SUMMARY_TITLES];
  for (let at = 0; at < Math.min(visible.length, most); at++) {
    const one = visible.at(at);
    if (one?.kind === "class") {
      const { retainedSize, selfSize, count, distance, name, location, place } = one.row;
      cells.push([retainedSize, selfSize, count, distance, name, location ?? place, null]);
    } else if (one?.kind === "node") {
      const { retainedSize, selfSize, distance, name, id } = one.node;
      cells.push([retainedSize, selfSize, null, distance, name || one.row.name, "", id]);
    } else if (one?.kind === "rest") {
      cells.push([null, null, one.count, null, `${formatNumber(one.count)} more`, "", null]);
    }
  }
  if (visible.length > most) {
    cells.push([null, null, null, null, moreRows(visible.length - most), "", null]);
  }
  return cells;
}
