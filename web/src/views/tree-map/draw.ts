// SPDX-License-Identifier: MIT
// Draws the boxes that are in the window, at the zoom that is shown.
import { boxName, boxSizeText, fittingText } from "../../logic/boxes";
import { boxFill, boxStroke, darkBoxFill, darkBoxStroke, type Theme } from "../../logic/colours";
import type { DragZoom } from "../../logic/zoom";
import type { TreeMapBox } from "../../types/heap";
import { PixelPicture } from "./pixels";

const FONT_PIXELS = 11;
const LEAST_TEXT_HEIGHT = 20;
const TEXT_MARGIN = 5;
/** What is smaller is not seen. */
const LEAST_PIXELS = 0.4;

const INKS = {
  light: { name: "rgba(0, 0, 0, 0.85)", size: "rgba(0, 0, 0, 0.55)", focus: "#0b5f59", hover: "rgba(0, 0, 0, 0.6)" },
  dark: { name: "rgba(255, 255, 255, 0.95)", size: "rgba(255, 255, 255, 0.68)", focus: "#5eead4", hover: "rgba(255, 255, 255, 0.75)" },
} as const;

export interface Picture {
  boxes: readonly TreeMapBox[];
  /** Of the window, in CSS pixels. */
  width: number;
  height: number;
  shown: DragZoom;
  theme: Theme;
  hovered: number;
  focused: number;
}

/** A box in pixels of the window. */
interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

function placeOf(box: TreeMapBox, { zoom, offsetX, offsetY }: DragZoom): Place {
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
  const name = fittingText(boxName(box), room, measure);
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

interface BoxColours {
  fill: number;
  stroke: number;
}

/** The colours of boxes, made once: maps have tens of thousands of boxes, and few kinds of them. */
function coloursOf(pixels: PixelPicture, theme: Theme): (box: TreeMapBox) => BoxColours {
  const isDark = theme === "dark";
  const known = new Map<string, BoxColours>();
  return ({ colorType, depth }) => {
    const key = colorType + depth;
    let colours = known.get(key);
    if (!colours) {
      const fill = pixels.colour((isDark ? darkBoxFill : boxFill)(colorType, depth));
      const stroke = pixels.colour((isDark ? darkBoxStroke : boxStroke)(colorType, depth));
      colours = { fill, stroke };
      known.set(key, colours);
    }
    return colours;
  };
}

/** The boxes as pixels; the result are those that have room for text. */
function drawBoxes(context: CanvasRenderingContext2D, picture: Picture, pixelRatio: number): [TreeMapBox, Place][] {
  const pixels = new PixelPicture(context);
  const colours = coloursOf(pixels, picture.theme);
  const whole = picture.width * picture.height;
  const texts: [TreeMapBox, Place][] = [];
  picture.boxes.forEach((box, at) => {
    const place = placeOf(box, picture.shown);
    if (at === 0 || !isSeen(place, picture)) {
      return;
    }
    const { x, y, width, height } = place;
    const edge = Math.round(Math.min(2, Math.max(1, Math.sqrt((width * height) / whole))) * pixelRatio);
    const [left, top] = [Math.round(x * pixelRatio), Math.round(y * pixelRatio)];
    const [right, bottom] = [Math.round((x + width) * pixelRatio), Math.round((y + height) * pixelRatio)];
    const { fill, stroke } = colours(box);
    pixels.box({ left, top, right, bottom }, edge, fill, stroke);
    if (height > LEAST_TEXT_HEIGHT) {
      texts.push([box, place]);
    }
  });
  pixels.show();
  return texts;
}

function outline(context: CanvasRenderingContext2D, picture: Picture, at: number, colour: string, width: number): void {
  const box = at > 0 ? picture.boxes[at] : undefined;
  if (box) {
    const place = placeOf(box, picture.shown);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(place.x + width / 2, place.y + width / 2, place.width - width, place.height - width);
  }
}

export function drawTreeMap(canvas: HTMLCanvasElement, picture: Picture, pixelRatio: number): void {
  const context = canvas.getContext("2d");
  if (!context) {
    return;
  }
  const texts = drawBoxes(context, picture, pixelRatio);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.font = `${FONT_PIXELS}px system-ui, sans-serif`;
  texts.forEach(([box, place]) => drawText(context, box, place, picture.theme));
  outline(context, picture, picture.hovered, INKS[picture.theme].hover, 1.5);
  outline(context, picture, picture.focused, INKS[picture.theme].focus, 3);
}
