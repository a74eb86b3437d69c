// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { TreeMapBox } from "../types/heap";
import { boxKey, boxName, childrenOf, placeOfKey, zoomToBox } from "./boxes";
import { boxOfWay, wantedDetail, withDetail, type MapBox } from "./map_details";
import { keptInView, NO_ZOOM } from "./zoom";

const VIEW = { width: 1000, height: 600 };
type Place = [number, number, number, number];
const box = (name: string | null, parent: number | null, rowId: number, [x, y, width, height]: Place, depth = 1): TreeMapBox => ({
  ...{ name, type: "row", parent, rowId, depth, colorType: "objects", bytes: 2048, count: 3 },
  ...{ x, y, width, height },
});
const rest = (parent: number, place: Place): TreeMapBox => {
  const own: Partial<TreeMapBox> & TreeMapBox = { ...box(null, parent, 0, place, 2), type: "rest" };
  delete own.rowId;
  return own;
};
/** A group with one row and a rest, and a small group whose rows have no room. */
const boxes: MapBox[] = [
  box(null, null, 1, [-5, -15, 1010, 620], 0),
  box("objects", 0, 2, [0, 0, 980, 600]),
  box("other", 0, 3, [980, 0, 20, 16]),
  box("Array", 1, 4, [5, 15, 900, 580], 2),
  rest(1, [905, 15, 70, 40]),
  box("Scope", 2, 5, [985, 15, 0, 0], 2),
];
const children = childrenOf(boxes);
const zoomOf = (at: number) => keptInView(zoomToBox(boxes[at] as MapBox, VIEW.width, VIEW.height), VIEW);

describe("details of a tree map", () => {
  it("are not wanted where all is shown", () => {
    expect(wantedDetail(boxes, children, NO_ZOOM, VIEW)).toBeNull();
  });

  it("are what a rest hides, once it is shown larger", () => {
    const zoom = zoomOf(4);
    const wanted = wantedDetail(boxes, children, zoom, VIEW);
    expect(wanted).toMatchObject({ at: 4, parent: 2, offset: 1, scale: zoom.zoom + 1 });
    expect(wanted?.width).toBe(Math.floor(70 * (zoom.zoom + 1) - 10));
    expect(wantedDetail(boxes, children, zoomOf(3), VIEW)).toBeNull();
  });

  it("are the rows of a box that had no room for them", () => {
    expect(wantedDetail(boxes, children, zoomOf(2), VIEW)).toMatchObject({ at: 2, parent: 3, offset: 0 });
  });

  it("are put into their box, in place of what was in it", () => {
    const wanted = wantedDetail(boxes, children, zoomOf(2), VIEW)!;
    const [width, height] = [wanted.width, wanted.height];
    const detail = [
      box(null, null, 3, [-5, -15, width + 10, height + 20], 0),
      box("Scope", 0, 5, [0, 0, width, height / 2]),
      box("Shape", 0, 6, [0, height / 2, width, height / 2]),
      box("inner", 2, 7, [5, height / 2 + 15, 10, 10], 2),
    ];
    const more = withDetail(boxes, wanted, detail);
    expect(more.map(({ name, parent, depth }) => [name, parent, depth])).toEqual([
      [null, null, 0],
      ["objects", 0, 1],
      ["other", 0, 1],
      ["Array", 1, 2],
      [null, 1, 2],
      ["Scope", 2, 2],
      ["Shape", 2, 2],
      ["inner", 6, 3],
    ]);
    const around = boxes[2] as MapBox;
    for (const one of more.slice(5)) {
      expect(one.x).toBeGreaterThan(around.x);
      expect(one.y).toBeGreaterThan(around.y);
      expect(one.x + one.width).toBeLessThanOrEqual(around.x + around.width);
      expect(one.y + one.height).toBeLessThanOrEqual(around.y + around.height);
    }
    expect(wantedDetail(more, childrenOf(more), zoomOf(2), VIEW)?.at).toBe(4);
    expect(placeOfKey(more, boxKey(boxes, 5))).toBe(5);
  });

  it("of a rest open it; where there is nothing but a rest again, it is left until it is shown still larger", () => {
    const wanted = wantedDetail(boxes, children, zoomOf(4), VIEW)!;
    const opened = withDetail(boxes, wanted, [box(null, null, 2, [0, 0, 9, 9]), box("Map", 0, 8, [0, 0, 9, 9])]);
    expect(opened[6]).toMatchObject({ name: "Map", parent: 4, depth: 3 });
    const nothing = withDetail(boxes, wanted, [box(null, null, 2, [0, 0, 9, 9]), rest(0, [0, 0, 9, 9])]);
    expect(nothing).toHaveLength(boxes.length);
    expect(wantedDetail(nothing, childrenOf(nothing), zoomOf(4), VIEW)).toBeNull();
    expect(wantedDetail(opened, childrenOf(opened), zoomOf(4), VIEW)).toBeNull();
  });

  it("lead to the box of an object", () => {
    const find = (list: MapBox[], ...way: string[]) => boxOfWay(list, childrenOf(list), way, boxName);
    expect(find(boxes, "objects", "Array")).toEqual({ at: 3, isWhole: true });
    expect(find(boxes, "objects", "Map")).toEqual({ at: 4, isWhole: false });
    expect(find(boxes, "strings")).toEqual({ at: 0, isWhole: false });
    const wanted = wantedDetail(boxes, children, zoomOf(4), VIEW)!;
    const opened = withDetail(boxes, wanted, [box(null, null, 2, [0, 0, 9, 9]), box("Map", 0, 8, [0, 0, 9, 9])]);
    expect(find(opened, "objects", "Map")).toEqual({ at: 6, isWhole: true });
    expect(placeOfKey(boxes, boxKey(boxes, 4))).toBe(4);
    expect(placeOfKey(boxes, "restother/2")).toBe(1);
    expect([placeOfKey(boxes, ""), placeOfKey(boxes, "99")]).toEqual([-1, -1]);
  });
});
