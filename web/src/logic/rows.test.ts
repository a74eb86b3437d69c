// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { CensusPage, CensusRow, RowId } from "../types/heap";
import { censusCells } from "./census_cells";
import { treeOfPage, treeWithPage, visibleRows, type VisibleRows } from "./rows";

const row = (id: RowId, childCount = 0): CensusRow => ({
  id,
  name: `r${id}`,
  bytes: 1,
  totalBytes: 1,
  count: 1,
  totalCount: 1,
  childCount,
});
const page = (parent: RowId, rows: CensusRow[], offset = 0, childCount = rows.length): CensusPage => {
  return { parent, offset, childCount, totalBytes: 100, totalCount: 10, rows };
};
const ids = (visible: VisibleRows) => Array.from({ length: visible.length }, (_, at) => visible.at(at)?.row?.id ?? null);

// 1 [2 [5, 6 [7, 8]], 3, 4 [9]]
const tree = [page(2, [row(5), row(6, 2)]), page(6, [row(7), row(8)]), page(4, [row(9)])].reduce(
  (before, more) => treeWithPage(before, more),
  treeOfPage(page(1, [row(2, 2), row(3), row(4, 1)])),
);

describe("visible rows", () => {
  it("are the root's children while nothing is open", () => {
    expect(ids(visibleRows(tree, new Set()))).toEqual([2, 3, 4]);
  });

  it("have those below opened rows in their places, with their levels", () => {
    const visible = visibleRows(tree, new Set([2, 6, 4]));
    expect(ids(visible)).toEqual([2, 5, 6, 7, 8, 3, 4, 9]);
    expect(Array.from({ length: 8 }, (_, at) => visible.at(at)?.level)).toEqual([0, 1, 1, 2, 2, 0, 0, 1]);
    expect([visible.at(-1), visible.at(8)]).toEqual([null, null]);
  });

  it("are not those below a closed row", () => {
    const visible = visibleRows(tree, new Set([6]));
    expect(ids(visible)).toEqual([2, 3, 4]);
    expect([visible.positionOf(7), visible.positionOf(6), visible.positionOf(99)]).toEqual([-1, -1, -1]);
  });

  it("are found by their ids", () => {
    const visible = visibleRows(tree, new Set([2, 6, 4]));
    for (let at = 0; at < visible.length; at++) {
      expect(visible.positionOf(visible.at(at)?.row?.id ?? 0)).toBe(at);
    }
  });

  it("are counted, and are null until they come", () => {
    const some = treeWithPage(treeOfPage(page(1, [row(2)], 0, 1_000_000)), page(1, [row(3)], 500_000, 1_000_000));
    const visible = visibleRows(some, new Set());
    expect(visible.length).toBe(1_000_000);
    expect([visible.at(0)?.row?.id, visible.at(1)?.row, visible.at(500_000)?.row?.id]).toEqual([2, null, 3]);
    expect(visible.at(1)).toMatchObject({ parent: 1, index: 1, siblingCount: 1_000_000 });
    expect(visible.positionOf(3)).toBe(500_000);
  });

  it("are kept only near where one looks; what is open or held stays", () => {
    const count = 1_000_000;
    const pageAt = (offset: number) => {
      const rows = Array.from({ length: 100 }, (_, at) => row(10 + offset + at, offset + at === 7 ? 1 : 0));
      return page(1, rows, offset, count);
    };
    let long = treeWithPage(treeOfPage(pageAt(0)), page(17, [row(5)]));
    for (let offset = 100; offset < 20_000; offset += 100) {
      long = treeWithPage(long, pageAt(offset), 40);
    }
    expect(Object.keys(long.rows).length).toBeLessThan(3200);
    const visible = visibleRows(long, new Set([17]));
    expect([7, 8, 31, 5000, 19_901].map((at) => visible.at(at)?.row?.id ?? null)).toEqual([17, 5, 40, null, 19_910]);
    expect(visible.length).toBe(count + 1);
  });

  it("are copied with their levels, and those that are too many are counted", () => {
    const opened = new Set([2, 6, 4]);
    expect(censusCells(tree, opened, 8).map((cells) => cells.slice(4))).toEqual([
      ["level", "name"],
      ...[
        [0, "r2"],
        [1, "r5"],
        [1, "r6"],
        [2, "r7"],
        [2, "r8"],
        [0, "r3"],
        [0, "r4"],
        [1, "r9"],
      ],
    ]);
    expect(censusCells(tree, opened, 3).at(-1)).toEqual([null, null, null, null, null, "5 more rows"]);
  });

  it("of a chain of ten thousand rows need no stack", () => {
    let chain = treeOfPage(page(1, [row(2, 1)]));
    const lists: typeof chain.lists = { ...chain.lists };
    const rows: typeof chain.rows = { ...chain.rows };
    const expanded = new Set<RowId>();
    for (let id = 2; id < 10_002; id++) {
      rows[id + 1] = { ...row(id + 1, 1), parent: id, index: 0 };
      lists[id] = { childCount: 1, ids: { 0: id + 1 } };
      expanded.add(id);
    }
    chain = { ...chain, lists, rows };
    const visible = visibleRows(chain, expanded);
    expect([visible.length, visible.at(10_000)?.row?.id, visible.positionOf(10_002)]).toEqual([10_001, 10_002, 10_000]);
  });
});
