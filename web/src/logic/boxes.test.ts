// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { TreeMapBox } from "../types/heap";
import { boxAt, boxBeside, boxName, boxSizeText, boxWay, childrenOf, fittingText, zoomToBox } from "./boxes";
import { keptInView } from "./zoom";

const box = (name: string | null, parent: number | null, x: number, y: number, width: number, height: number): TreeMapBox => {
  return { name, type: "row", parent, depth: 0, colorType: "objects", bytes: 2048, count: 3, x, y, width, height };
};
const boxes = [
  box(null, null, -5, -15, 110, 120),
  box("objects", 0, 0, 0, 60, 100),
  box("other", 0, 60, 0, 40, 100),
  box("Array", 1, 5, 15, 50, 40),
  box("Map", 1, 5, 55, 50, 40),
];
const children = childrenOf(boxes);

describe("boxes", () => {
  it("are found at a point: the innermost, and never the one around all", () => {
    expect([boxAt(boxes, 10, 20), boxAt(boxes, 10, 5), boxAt(boxes, 70, 50), boxAt(boxes, -3, 5)]).toEqual([3, 1, 2, -1]);
  });

  it("lead to those beside, above and below", () => {
    const go = (at: number, key: string) => boxBeside(boxes, children, at, key);
    expect([go(-1, "ArrowDown"), go(1, "ArrowRight"), go(1, "ArrowDown"), go(3, "ArrowRight"), go(4, "ArrowUp")]).toEqual([1, 2, 3, 4, 1]);
    expect([go(1, "ArrowUp"), go(2, "ArrowRight"), go(3, "End"), go(4, "Home")]).toEqual([1, 2, 4, 3]);
    expect(boxWay(boxes, 4)).toEqual(["objects", "Map"]);
  });

  it("have names, also those that stand for several", () => {
    expect(boxName({ ...box("x", 0, 0, 0, 1, 1), type: "rest", count: 1200 })).toBe("1 200 smaller ones");
    expect(boxName({ ...box("x", 0, 0, 0, 1, 1), type: "own" })).toBe("(itself)");
    expect(boxSizeText(boxes[1] as TreeMapBox)).toBe("2KiB 3 count");
  });

  it("have as much of their names as fits", () => {
    const measure = (text: string) => text.length;
    expect(fittingText("HTMLDivElement", 14, measure)).toBe("HTMLDivElement");
    expect(fittingText("HTMLDivElement", 10, measure)).toBe("HTMLDiv...");
    expect(fittingText("HTMLDivElement", 5, measure)).toBe("H...");
    expect([fittingText("HTMLDivElement", 3, measure), fittingText("HTMLDivElement", 2, measure)]).toEqual(["...", ""]);
  });

  it("can fill the window", () => {
    const view = { width: 100, height: 100 };
    const { zoom, offsetX, offsetY } = keptInView(zoomToBox(boxes[3] as TreeMapBox, 100, 100), view);
    const left = 5 * (zoom + 1) - offsetX;
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + 50 * (zoom + 1)).toBeLessThanOrEqual(100);
    expect(15 * (zoom + 1) - offsetY).toBeGreaterThanOrEqual(0);
  });
});
