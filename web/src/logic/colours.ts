// SPDX-License-Identifier: MIT
// Colours of the tree map: the hue says what kind of thing, the lightness how deep.

export const COLOUR_TYPES = ["objects", "other", "strings", "scripts", "domNode"] as const;
export type ColourType = (typeof COLOUR_TYPES)[number];
export type Theme = "light" | "dark";

/** Shares of the circle, of full saturation and of full lightness, each 0 to 1. */
export function hslText(hue: number, saturation: number, lightness: number): string {
  const whole = (part: number, of: number) => Math.floor(part * of);
  return `hsl(${whole(hue, 360)},${whole(saturation, 100)}%,${whole(lightness, 100)}%)`;
}

/** A colour that hslText wrote, as a canvas's pixels have it where the lowest byte comes first: red, green, blue, opaque. */
export function packedColour(text: string): number {
  const [hue = 0, saturation = 0, lightness = 0] = (text.match(/\d+/g) ?? []).map(Number);
  const [full, strength] = [lightness / 100, (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100)];
  const part = (from: number) => {
    const at = (from + hue / 30) % 12;
    return Math.round(255 * (full - strength * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return ((255 << 24) | (part(4) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

/** Between two numbers: all of the first at 0, all of the second at 1. */
export function lerp(from: number, to: number, at: number): number {
  return from + (to - from) * at;
}

const SATURATION = 0.6;

function hueOf(type: ColourType): number {
  return Math.min(1, 0.5 + COLOUR_TYPES.indexOf(type) / 15);
}

function lightnessOf(depth: number): number {
  return Math.min(1, 0.9 - Math.min(1, depth / 10));
}

/** What Firefox draws: deeper is darker. */
export function boxFill(type: ColourType, depth: number): string {
  return hslText(hueOf(type), SATURATION, lightnessOf(depth));
}

export function boxStroke(type: ColourType, depth: number): string {
  return hslText(hueOf(type), SATURATION, lightnessOf(depth) * 0.5);
}

/** On a dark page deeper is lighter, and no box is brighter than the text in it. */
export function darkBoxFill(type: ColourType, depth: number): string {
  return hslText(hueOf(type), 0.4, Math.min(0.42, 0.16 + depth * 0.05));
}

export function darkBoxStroke(type: ColourType, depth: number): string {
  return hslText(hueOf(type), 0.45, Math.min(0.6, 0.3 + depth * 0.06));
}
