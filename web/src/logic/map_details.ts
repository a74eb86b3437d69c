// SPDX-License-Identifier: MIT
// What of a tree map is worth more boxes at the zoom that is shown, and putting these in. A map has no boxes that would be too small to be
// seen; where one zooms in, the server lays out a part of it again, in the pixels that the part then has.
import type { TreeMapBox } from "../types/heap";
import type { DragZoom, Window } from "./zoom";

/** A box of a map of which some parts were laid out at a larger scale. Places and lengths are those of the whole map. */
export interface MapBox extends TreeMapBox {
  /** The scale at which it was laid out; absent: that of the whole map. */
  scale?: number;
}

/** A part of a map that the server lays out. */
export interface WantedDetail {
  /** The box that the part goes into. */
  at: number;
  /** The row whose rows are shown, and how many of them, the largest, are left out. */
  parent: number;
  offset: number;
  /** Pixels of the part. */
  width: number;
  height: number;
  scale: number;
}

/** Between a box and what is in it, in pixels, as the server has it. */
const PAD = { top: 15, right: 5, bottom: 5, left: 5 };
/** Pixels of a box that is worth a look. */
const LEAST_SIDE = 30;
const MOST_SIDE = 4096;
/** How much larger a part must be shown than it was laid out, so that there may be more to see. */
const GROWTH = { rest: 2, row: 1.3, whole: 3 };
/** A box that fills this share of the window gets a layout of its own; boxes around the window stay where they are. */
const FILLS = { least: 0.6, most: 1.3 };

const scaleOf = (box: MapBox) => box.scale ?? 1;

/** Whether all that is in a box has no area: there was no room between the pads. */
function isCramped(boxes: readonly MapBox[], inside: readonly number[]): boolean {
  return inside.length > 0 && inside.every((at) => (boxes[at]?.width ?? 0) * (boxes[at]?.height ?? 0) === 0);
}

/** The row of a box, and how many of its rows have boxes: those of a rest are behind them. null: they cannot be named. */
function rowsOf(boxes: readonly MapBox[], children: number[][], at: number): { parent: number; offset: number } | null {
  const box = boxes[at];
  if (box?.type === "row" && box.rowId) {
    return { parent: box.rowId, offset: 0 };
  }
  if (box?.type !== "rest" || box.parent === null) {
    return null;
  }
  const siblings = children[box.parent] ?? [];
  const rests = siblings.filter((one) => boxes[one]?.type === "rest");
  const above = rowsOf(boxes, children, box.parent);
  const offset = siblings.filter((one) => boxes[one]?.type === "row").length;
  // Rests of several colours are mixed in the tree's order.
  return above && rests.length === 1 ? { parent: above.parent, offset: above.offset + offset } : null;
}

/** The part of the window that a box takes, in pixels; 0: it is not seen. */
function seenArea(box: MapBox, { zoom, offsetX, offsetY }: DragZoom, view: Window): number {
  const scale = zoom + 1;
  const along = (from: number, length: number, offset: number, most: number) =>
    Math.min(most, (from + length) * scale - offset) - Math.max(0, from * scale - offset);
  const [width, height] = [along(box.x, box.width, offsetX, view.width), along(box.y, box.height, offsetY, view.height)];
  return width > 0 && height > 0 ? width * height : 0;
}

/** How much larger than it was laid out a box must be shown to be looked into. */
function growthWanted(boxes: readonly MapBox[], children: number[][], at: number, scale: number, view: Window): number {
  const box = boxes[at] as MapBox;
  const [width, height] = [(box.width * scale) / view.width, (box.height * scale) / view.height];
  const inside = children[at] ?? [];
  if (box.type === "rest" && inside.length === 0) {
    return GROWTH.rest;
  }
  if (isCramped(boxes, inside)) {
    return GROWTH.row;
  }
  const isFilling = Math.max(width, height) > FILLS.least && Math.max(width, height) < FILLS.most;
  return box.type === "row" && inside.length > 0 && isFilling ? GROWTH.whole : Infinity;
}

/** The part of the map that shows most of what is hidden so far; null: at this zoom there is nothing more to see. */
export function wantedDetail(boxes: readonly MapBox[], children: number[][], zoom: DragZoom, view: Window): WantedDetail | null {
  const scale = zoom.zoom + 1;
  let best: WantedDetail | null = null;
  let most = 0;
  for (let at = 1; at < boxes.length; at++) {
    const box = boxes[at] as MapBox;
    const [width, height] = [box.width * scale - PAD.left - PAD.right, box.height * scale - PAD.top - PAD.bottom];
    if (width < LEAST_SIDE || height < LEAST_SIDE) {
      continue;
    }
    const seen = seenArea(box, zoom, view);
    // Of boxes in each other, the innermost comes first.
    if (seen === 0 || seen < most || growthWanted(boxes, children, at, scale, view) > scale / scaleOf(box)) {
      continue;
    }
    const rows = rowsOf(boxes, children, at);
    if (rows) {
      const less = Math.min(1, MOST_SIDE / Math.max(width, height));
      const size = { width: Math.floor(width * less), height: Math.floor(height * less) };
      [best, most] = [{ at, ...rows, ...size, scale }, seen];
    }
  }
  return best;
}

/** The boxes without those in one of them, and where each is then. */
function emptied(boxes: readonly MapBox[], at: number): { kept: MapBox[]; places: number[] } {
  const places: number[] = [];
  const kept: MapBox[] = [];
  boxes.forEach((box) => {
    const parent = box.parent === null ? null : (places[box.parent] ?? -1);
    const isInside = parent === -1 || box.parent === at;
    places.push(isInside ? -1 : kept.length);
    if (!isInside) {
      kept.push({ ...box, parent });
    }
  });
  return { kept, places };
}

/** With a part put into its box, in place of what was there. Boxes stay in an order in which each comes behind the one around it. */
export function withDetail(boxes: readonly MapBox[], wanted: WantedDetail, detail: readonly TreeMapBox[]): MapBox[] {
  const { kept, places } = emptied(boxes, wanted.at);
  const place = places[wanted.at] ?? 0;
  const around = { ...(kept[place] as MapBox), scale: wanted.scale };
  kept[place] = around;
  // A rest in which there is nothing but a rest stays as it is, and is looked into again where it is shown still larger.
  const isSame = around.type === "rest" ? detail.slice(1).every(({ type }) => type === "rest") : detail.length < 2;
  if (isSame) {
    return boxes.map((box, at) => (at === wanted.at ? around : box));
  }
  const inner = { width: around.width * wanted.scale - PAD.left - PAD.right, height: around.height * wanted.scale - PAD.top - PAD.bottom };
  const [acrossX, acrossY] = [inner.width / wanted.width / wanted.scale, inner.height / wanted.height / wanted.scale];
  const first = kept.length;
  detail.slice(1).forEach((box) => {
    kept.push({
      ...box,
      parent: box.parent ? first + box.parent - 1 : place,
      depth: around.depth + box.depth,
      x: around.x + PAD.left / wanted.scale + box.x * acrossX,
      y: around.y + PAD.top / wanted.scale + box.y * acrossY,
      width: box.width * acrossX,
      height: box.height * acrossY,
      scale: wanted.scale * (wanted.width / inner.width),
    });
  });
  return kept;
}

/** Where a way of names leads: the box, and whether that is all of the way. Only a rest may hide more. */
export function boxOfWay(boxes: readonly MapBox[], children: number[][], way: readonly string[], nameOf: (box: MapBox) => string) {
  let at = 0;
  for (const name of way) {
    const inside = (children[at] ?? []).flatMap((one) => (boxes[one]?.type === "rest" ? [one, ...(children[one] ?? [])] : [one]));
    const next = inside.find((one) => boxes[one]?.type === "row" && nameOf(boxes[one] as MapBox) === name);
    if (next === undefined) {
      const rest = inside.filter((one) => boxes[one]?.type === "rest" && (children[one] ?? []).length === 0).pop();
      return { at: rest ?? at, isWhole: false };
    }
    at = next;
  }
  return { at, isWhole: true };
}
