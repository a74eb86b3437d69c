// SPDX-License-Identifier: MIT
// How wide columns of numbers are: a number that is cut is another number.

/** Pixels of a cell beside its text, and between a number and its share. */
const PADDING = 20;
const GAP = 8;
/** Characters of a share that most have. */
const SHARE = 4;

const longest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, text.length), 0);

/** As in grid-template-columns: all digits of the longest number fit, and of its share, if there are shares; `least` at least. */
export function figureWidth(least: string, numbers: readonly string[], shares?: readonly string[]): string {
  const share = shares ? Math.max(SHARE, longest(shares)) : 0;
  // Narrow windows show no shares, and say so in the style.
  const beside = shares ? ` + var(--with-shares) * (${share}ch + ${GAP}px)` : "";
  return `max(${least}, calc(${longest(numbers)}ch + ${PADDING}px${beside}))`;
}

/** The number of a list that is longest when it is written with its sign: the largest or the least. */
export function farthest(values: Iterable<number>): number {
  let far = 0;
  for (const value of values) {
    far = Math.abs(value) > Math.abs(far) ? value : far;
  }
  return far;
}
