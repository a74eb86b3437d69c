// SPDX-License-Identifier: MIT
// Displays in addresses: those that every browser knows by their ids, a user's own with how they group.
import type { Breakdown } from "../types/breakdown";
import { DEFAULT_DISPLAY, type Displays } from "./displays";
import { breakdownOf } from "./own_displays";

interface AnyDisplay {
  displayName: string;
  tooltip: string;
  breakdown: Breakdown;
  /** Absent where nothing can be turned over. */
  inverted?: boolean;
}

/** How an address names a display: "" the default. `breakdown` is JSON, and "" where every browser knows the display. */
export interface DisplayWords {
  id: string;
  breakdown: string;
}

/** The displays that there are. */
export interface KnownDisplays<Display> {
  builtIn: Displays<Display>;
  own: Displays<Display>;
}

/** A display that is turned over, and is not so by itself, has this behind its id. */
const TURNED = "~";

/** All displays of a choice, with the one that is shown, which may be of an address. */
export function offeredDisplays<Display extends AnyDisplay>(known: KnownDisplays<Display>, shown: Display): Displays<Display> {
  const all = { ...known.builtIn, ...known.own };
  const isOffered = Object.values(all).some(({ displayName }) => displayName === shown.displayName);
  return isOffered ? all : { ...all, [shown.displayName]: shown };
}

export function wordsOfDisplay<Display extends AnyDisplay>({ builtIn }: KnownDisplays<Display>, display: Display): DisplayWords {
  const [id, usual] = Object.entries(builtIn).find(([, one]) => one.displayName === display.displayName) ?? [display.displayName, null];
  const isTurned = Boolean(display.inverted) !== Boolean(usual?.inverted);
  return {
    id: id === DEFAULT_DISPLAY && !isTurned ? "" : id + (isTurned ? TURNED : ""),
    breakdown: usual ? "" : JSON.stringify(display.breakdown),
  };
}

const isSame = (one: AnyDisplay, other: AnyDisplay) =>
  one.displayName === other.displayName &&
  Boolean(one.inverted) === Boolean(other.inverted) &&
  JSON.stringify(one.breakdown) === JSON.stringify(other.breakdown);

/**
 * The display of an address: an object that is known, or shown, if it is one, since what is shown with it stays then. `fault`: why it is
 * the default display, in words; null: it is what the address says.
 */
export function displayOfWords<Display extends AnyDisplay>(
  { builtIn, own }: KnownDisplays<Display>,
  { id: text, breakdown }: DisplayWords,
  shown: Display,
): { display: Display; fault: string | null } {
  const usual = builtIn[DEFAULT_DISPLAY] as Display;
  const id = text.replace(TURNED, "") || DEFAULT_DISPLAY;
  const isTurned = text.endsWith(TURNED);
  const found = builtIn[id] ?? (breakdown ? undefined : own[id]);
  const kept = (display: Display) =>
    [shown, ...Object.values(own), ...Object.values(builtIn)].find((one) => isSame(one, display)) ?? display;
  if (found) {
    return { display: kept(isTurned ? { ...found, inverted: !found.inverted } : found), fault: null };
  }
  const read = breakdown ? breakdownOf(breakdown) : null;
  if (!read?.breakdown) {
    const why = read ? `cannot be read: ${read.fault}` : "is not known to this browser, and the address does not say how it groups.";
    return { display: kept(usual), fault: `The display “${id}” ${why} “${usual.displayName}” is shown instead.` };
  }
  const display = { ...usual, displayName: id, tooltip: "A display of the address", breakdown: read.breakdown };
  return { display: kept("inverted" in usual ? { ...display, inverted: isTurned } : display), fault: null };
}
