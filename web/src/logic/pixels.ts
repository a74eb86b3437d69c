// SPDX-License-Identifier: MIT
// Boxes as pixels: of a hundred thousand, most have a few pixels each, for which a canvas's own calls take many times as long.

export interface Pixels {
  /** By row; each as packedColour gives it. */
  pixels: Uint32Array;
  width: number;
  height: number;
}

/** In pixels, which need not be whole. */
export interface PixelBox {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: number;
  stroke: number;
  /** Pixels of its edge, inside of it. */
  edge: number;
}

/** Sides of so many pixels have an edge; less is all edge. */
const LEAST_EDGED = 3;

/** Fills the part of a rectangle that is within the picture. */
function fillArea({ pixels, width, height }: Pixels, left: number, top: number, right: number, bottom: number, colour: number): void {
  const [from, to] = [Math.max(0, left), Math.min(width, right)];
  if (from >= to) {
    return;
  }
  for (let y = Math.max(0, top), end = Math.min(height, bottom); y < end; y++) {
    pixels.fill(colour, y * width + from, y * width + to);
  }
}

export function fillPixels(picture: Pixels, { x, y, width, height, fill, stroke, edge }: PixelBox): void {
  const [left, top] = [Math.round(x), Math.round(y)];
  const [right, bottom] = [Math.max(left + 1, Math.round(x + width)), Math.max(top + 1, Math.round(y + height))];
  fillArea(picture, left, top, right, bottom, stroke);
  if (right - left >= LEAST_EDGED && bottom - top >= LEAST_EDGED) {
    fillArea(picture, left + edge, top + edge, right - edge, bottom - edge, fill);
  }
}
