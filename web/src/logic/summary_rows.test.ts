// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { summaryCells, summaryKey, summaryOrder, visibleClasses, type ClassNode, type ClassRow, type OpenClass } from "./summary_rows";

const classRow = (name: string, count: number, place = ""): ClassRow => {
  return { name, place, count, distance: 3, unreachedCount: 0, selfSize: count, retainedSize: 10 * count, exampleId: 1 };
};
const node = (id: number): ClassNode => ({ id, name: `n${id}`, distance: 2, selfSize: 1, retainedSize: 5 });
const rows = { 0: classRow("Array", 2), 1: classRow("Map", 3), 3: classRow("Set", 1, "4,1,2") };
const opened = (...list: OpenClass[]) => new Map(list.map((one) => [summaryKey(one.row), one]));

describe("a list of classes", () => {
  it("has its classes, and places for those that have not come", () => {
    const visible = visibleClasses({ count: 4, rows, open: new Map() });
    expect(visible.length).toBe(4);
    expect([0, 1, 2, 3].map((at) => visible.at(at)?.key ?? null)).toEqual(["Array", "Map", null, "Set 4,1,2"]);
  });

  it("has the objects of open classes below them, and a rest for the others", () => {
    const open = opened({ index: 1, row: rows[1], nodes: [node(7), node(8)] }, { index: 0, row: rows[0], nodes: [node(5), node(6)] });
    const visible = visibleClasses({ count: 4, rows, open });
    const keys = Array.from({ length: visible.length }, (_, at) => visible.at(at)?.key ?? null);
    expect(keys).toEqual(["Array", "node 5", "node 6", "Map", "node 7", "node 8", "rest of Map", null, "Set 4,1,2"]);
    expect(visible.at(6)).toMatchObject({ kind: "rest", count: 1, at: 2 });
    expect([0, 1, 2, 3].map(visible.positionOf)).toEqual([0, 3, 7, 8]);
    expect(keys.map((_, at) => visible.indexAt(at))).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 3]);
    expect(summaryCells(visible, 5).slice(3)).toEqual([
      [5, 1, null, 2, "n6", "", 6],
      [30, 3, 3, 3, "Map", "", null],
      [5, 1, null, 2, "n7", "", 7],
      [null, null, null, null, "4 more rows", "", null],
    ]);
  });

  it("says of an open class that its objects are on their way", () => {
    const visible = visibleClasses({ count: 4, rows, open: opened({ index: 3, row: rows[3], nodes: null }) });
    expect([visible.length, visible.at(4)?.kind]).toEqual([5, "fetching"]);
  });

  it("is asked for in the server's words for orders", () => {
    const words = ["", "-retained", "+retained", "-count", "+distance", "-distance", "+name", "-name", "-nonsense"].map(summaryOrder);
    expect(words.map(({ sort, reversed }) => `${reversed ? "turned " : ""}${sort}`)).toEqual([
      ...["retained", "retained", "turned retained", "count", "distance", "turned distance", "name", "turned name", "retained"],
    ]);
  });
});
