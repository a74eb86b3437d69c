// SPDX-License-Identifier: MIT
// Draws the boxes that are in the window, at the zoom that is shown.
import { plainText } from "../../logic/plain_text";
import { boxName, boxSizeText, fittingText } from "../../logic/boxes";
import { boxFill, boxStroke, darkBoxFill, darkBoxStroke, packedColour, type Theme } from "../../logic/colours";
import type { MapBox } from "../../logic/map_details";
import { fillPixels } from "../../logic/pixels";
import type { DragZoom } from "../../logic/zoom";
import type { TreeMapBox } from "../../types/heap";

const FONT_PIXELS = 11;
/** Between a box and what is in it. */
const HEAD_PIXELS = 15;
const LEAST_TEXT_HEIGHT = 20;
const LEAST_TEXT_WIDTH = 16;
const TEXT_MARGIN = 5;
/** What is smaller is not seen. */
const LEAST_PIXELS = 0.4;

const INKS = {
  light: { name: "rgba(0, 0, 0, 0.85)", size: "rgba(0, 0, 0, 0.55)" },
  dark: { name: "rgba(255, 255, 255, 0.95)", size: "rgba(255, 255, 255, 0.68)" },
} as const;

export interface Picture {
  boxes: readonly MapBox[];
  /** Whether there are boxes in a box. */
  withBoxes(at: number): boolean;
  /** Of the window, in CSS pixels. */
  width: number;
  height: number;
  shown: DragZoom;
  theme: Theme;
}

type Four = [number, number, number, number];

/** A box in pixels of the window. */
interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where a box is in the window. */
export function placeOf(box: TreeMapBox, { zoom, offsetX, offsetY }: DragZoom): Place {
  const scale = zoom + 1;
  return { x: box.x * scale - offsetX, y: box.y * scale - offsetY, width: box.width * scale, height: box.height * scale };
}

function isSeen({ x, y, width, height }: Place, picture: Picture): boolean {
  const isInside = x < picture.width && y < picture.height && x + width > 0 && y + height > 0;
  return isInside && width >= LEAST_PIXELS && height >= LEAST_PIXELS;
}

function drawText(context: CanvasRenderingContext2D, box: TreeMapBox, place: Place, theme: Theme): void {
  const left = Math.max(place.x, 0) + TEXT_MARGIN;
  const room = Math.min(place.x + place.width, context.canvas.width) - left - TEXT_MARGIN;
  const measure = (text: string) => context.measureText(text).width;
  const name = fittingText(plainText(boxName(box)), room, measure);
  const baseline = place.y + 11;
  context.fillStyle = INKS[theme].name;
  context.fillText(name, left, baseline);
  const used = measure(`${name}  `);
  const size = boxSizeText(box);
  if (name && used + measure(size) <= room) {
    context.fillStyle = INKS[theme].size;
    context.fillText(size, left + used, baseline);
  }
}

/** Fill and stroke of boxes, by type and depth, as far as they were asked for. */
function coloursOf(theme: Theme): (box: TreeMapBox) => readonly [number, number] {
  const known = new Map<string, readonly [number, number]>();
  const [fill, stroke] = theme === "dark" ? [darkBoxFill, darkBoxStroke] : [boxFill, boxStroke];
  return ({ colorType, depth }) => {
    const key = colorType + depth;
    const colours = known.get(key) ?? ([packedColour(fill(colorType, depth)), packedColour(stroke(colorType, depth))] as const);
    known.set(key, colours);
    return colours;
  };
}

/** Pixels of a box's edge: of larger ones more. */
function edgeOf({ width, height }: Place, picture: Picture): number {
  return Math.min(2, Math.max(1, Math.sqrt((width * height) / (picture.width * picture.height))));
}

/** Above what is in it, a box has its name, if there is room for that. */
function hasName(box: MapBox, place: Place, { shown, withBoxes }: Picture, at: number): boolean {
  const isRoomy = place.height > LEAST_TEXT_HEIGHT && place.width > LEAST_TEXT_WIDTH;
  return isRoomy && (!withBoxes(at) || (HEAD_PIXELS * (shown.zoom + 1)) / (box.scale ?? 1) >= FONT_PIXELS);
}

/** A canvas of the window's size, cleared. */
function begun(canvas: HTMLCanvasElement, view: Pick<Picture, "width" | "height">, pixelRatio: number): CanvasRenderingContext2D | null {
  const [width, height] = [Math.round(view.width * pixelRatio), Math.round(view.height * pixelRatio)];
  if (canvas.width !== width || canvas.height !== height) {
    [canvas.width, canvas.height] = [width, height];
  }
  const context = canvas.getContext("2d");
  context?.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context?.clearRect(0, 0, view.width, view.height);
  return context;
}

export function drawTreeMap(canvas: HTMLCanvasElement, picture: Picture, pixelRatio: number): void {
  const context = begun(canvas, picture, pixelRatio);
  if (!context) {
    return;
  }
  const image = new ImageData(canvas.width, canvas.height);
  const pixels = { pixels: new Uint32Array(image.data.buffer), width: canvas.width, height: canvas.height };
  const colours = coloursOf(picture.theme);
  const named: number[] = [];
  picture.boxes.forEach((box, at) => {
    const place = placeOf(box, picture.shown);
    if (at > 0 && isSeen(place, picture)) {
      const [fill, stroke] = colours(box);
      const edge = Math.round(edgeOf(place, picture) * pixelRatio);
      const [x, y, width, height] = [place.x, place.y, place.width, place.height].map((one) => one * pixelRatio) as Four;
      fillPixels(pixels, { x, y, width, height, fill, stroke, edge });
      if (hasName(box, place, picture, at)) {
        named.push(at);
      }
    }
  });
  context.putImageData(image, 0, 0);
  context.font = `${FONT_PIXELS}px system-ui, sans-serif`;
  for (const at of named) {
    const box = picture.boxes[at] as MapBox;
    drawText(context, box, placeOf(box, picture.shown), picture.theme);
  }
}
