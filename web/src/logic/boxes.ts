// SPDX-License-Identifier: MIT
// The boxes of a tree map: which is where, which is beside which, what is written in each.
import type { TreeMapBox } from "../types/heap";
import { abbreviateBytes, formatNumber } from "./format";
import { rowNameText } from "./names";
import type { DragZoom } from "./zoom";

export function boxName({ name, type, count }: TreeMapBox): string {
  if (type === "rest") {
    return `${formatNumber(count)} smaller ones`;
  }
  return type === "own" ? "(itself)" : rowNameText(name);
}

/** The innermost box at a point of the map; -1: none. Boxes are level by level, the first is around all. */
export function boxAt(boxes: readonly TreeMapBox[], x: number, y: number): number {
  for (let at = boxes.length - 1; at > 0; at--) {
    const box = boxes[at] as TreeMapBox;
    if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) {
      return at;
    }
  }
  return -1;
}

/** Children of each box, the first box largest. */
export function childrenOf(boxes: readonly TreeMapBox[]): number[][] {
  const children: number[][] = boxes.map(() => []);
  boxes.forEach(({ parent }, at) => parent !== null && children[parent]?.push(at));
  return children;
}

/** Names a box as long as it is there, wherever it stands among the others: "12" for row 12, "restother/12" for a rest in it. */
export function boxKey(boxes: readonly TreeMapBox[], at: number): string {
  const steps: string[] = [];
  let around = boxes[at];
  while (around && around.rowId === undefined && around.parent !== null) {
    steps.push(around.type + around.colorType);
    around = boxes[around.parent];
  }
  return [...steps, around?.rowId ?? 0].join("/");
}

/** Where the box of a key stands, or the innermost that is there of those around it; -1: none is. */
export function placeOfKey(boxes: readonly TreeMapBox[], key: string): number {
  for (let steps = key ? key.split("/") : []; steps.length > 0; steps = steps.slice(1)) {
    const wanted = steps.join("/");
    const at = boxes.findIndex((_, index) => boxKey(boxes, index) === wanted);
    if (at >= 0) {
      return at;
    }
  }
  return -1;
}

/** Where a key leads from a box: siblings, the parent, the first child. */
export function boxBeside(boxes: readonly TreeMapBox[], children: number[][], at: number, key: string): number {
  const box = boxes[at];
  if (!box || at <= 0) {
    return children[0]?.[0] ?? -1;
  }
  const siblings = children[box.parent ?? 0] ?? [];
  const place = siblings.indexOf(at);
  const targets: Record<string, number | undefined> = {
    ArrowRight: siblings[place + 1],
    ArrowLeft: siblings[place - 1],
    ArrowDown: children[at]?.[0],
    ArrowUp: box.parent ? box.parent : undefined,
    Home: siblings[0],
    End: siblings[siblings.length - 1],
  };
  return targets[key] ?? at;
}

/** Names from the outermost box to this one. */
export function boxWay(boxes: readonly TreeMapBox[], at: number): string[] {
  const names: string[] = [];
  for (let box = boxes[at]; box && box.parent !== null; box = boxes[box.parent]) {
    names.unshift(boxName(box));
  }
  return names;
}

/** A name that fits: halved until it does, with dots; "" if not even these fit. */
export function fittingText(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) {
    return text;
  }
  for (let length = Math.floor(text.length / 2); length > 0; length = Math.floor(length / 2)) {
    const shorter = `${text.slice(0, length)}...`;
    if (measure(shorter) <= width) {
      return shorter;
    }
  }
  return measure("...") <= width ? "..." : "";
}

/** The line below or behind a name. */
export function boxSizeText({ bytes, count }: TreeMapBox): string {
  return `${abbreviateBytes(bytes)} ${formatNumber(count)} count`;
}

/** More would only show how exact the numbers are. */
const MOST_ZOOM = 20_000;

/** Zoomed so that a box fills most of the window. */
export function zoomToBox(box: TreeMapBox, width: number, height: number): DragZoom {
  const zoom = Math.max(0, Math.min(MOST_ZOOM, Math.min(width / box.width, height / box.height) * 0.92 - 1));
  const translateX = (width / 2 - (box.x + box.width / 2)) * (zoom + 1);
  const translateY = (height / 2 - (box.y + box.height / 2)) * (zoom + 1);
  return { zoom, translateX, translateY, offsetX: 0, offsetY: 0 };
}
