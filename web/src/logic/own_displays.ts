// SPDX-License-Identifier: MIT
// Displays of one's own: what is wrong with one in words, and the text that they are kept as.
import type { Breakdown } from "../types/breakdown";
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS, TREE_MAP_DISPLAY } from "./displays";

/** Which views a display is for. */
export type DisplayKind = "census" | "label" | "treeMap";

export const PREFERENCE_OF = {
  census: "customCensusDisplays",
  label: "customLabelDisplays",
  treeMap: "customTreeMapDisplays",
} as const satisfies Record<DisplayKind, string>;

export interface OwnDisplay {
  name: string;
  breakdown: string;
  inverted: boolean;
}

const MOST_LEVELS = 64;
/** The parts of each breakdown, which are breakdowns themselves. */
const PARTS: Record<string, readonly string[]> = {
  count: [],
  bucket: [],
  coarseType: ["objects", "scripts", "strings", "other", "domNode"],
  objectClass: ["then", "other"],
  internalType: ["then"],
  descriptiveType: ["then"],
  allocationStack: ["then", "noStack"],
  filename: ["then", "noFilename"],
};

function faultOf(value: unknown, outer: readonly string[]): string | null {
  const where = outer.length > 0 ? `inside of "${outer[outer.length - 1]}"` : "at the beginning";
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `A breakdown is an object, such as { "by": "count" }: ${where} is something else.`;
  }
  const { by, ...rest } = value as Record<string, unknown>;
  const parts = typeof by === "string" ? PARTS[by] : undefined;
  if (typeof by !== "string" || !parts) {
    const said = by === undefined ? `There is no "by" ${where}` : `"by" cannot be ${JSON.stringify(by)}`;
    return `${said}: it is one of ${Object.keys(PARTS).join(", ")}.`;
  }
  if (outer.includes(by)) {
    return `"${by}" is inside of itself: each "by" can be on a way only once.`;
  }
  const unknown = Object.keys(rest).find(
    (part) => !parts.includes(part) && !(by === "count" && ["count", "bytes", "label"].includes(part)),
  );
  if (unknown !== undefined) {
    const known = by === "count" ? "count, bytes and label" : parts.join(", ") || "nothing else";
    return `"${by}" has no part "${unknown}": it has ${known}.`;
  }
  return outer.length < MOST_LEVELS ? faultOfParts(rest, parts, [...outer, by]) : "It has too many levels.";
}

function faultOfParts(rest: Record<string, unknown>, parts: readonly string[], outer: readonly string[]): string | null {
  for (const part of parts) {
    const fault = part in rest ? faultOf(rest[part], outer) : null;
    if (fault !== null) {
      return fault;
    }
  }
  return null;
}

/** A breakdown from its text, or what is wrong with it. */
export function breakdownOf(text: string): { breakdown: Breakdown | null; fault: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      breakdown: null,
      fault: text.trim() === "" ? "Say how to group: a breakdown." : `That is not JSON: ${(error as Error).message}`,
    };
  }
  const fault = faultOf(value, []);
  return { breakdown: fault === null ? (value as Breakdown) : null, fault };
}

const BUILT_IN: Record<DisplayKind, readonly string[]> = {
  census: [...Object.keys(CENSUS_DISPLAYS), ...Object.values(CENSUS_DISPLAYS).map(({ displayName }) => displayName)],
  label: [...Object.keys(LABEL_DISPLAYS), ...Object.values(LABEL_DISPLAYS).map(({ displayName }) => displayName)],
  treeMap: ["coarseType", TREE_MAP_DISPLAY.displayName],
};

/** What is wrong with a name; null: nothing. */
export function nameFault(kind: DisplayKind, name: string): string | null {
  if (name.trim() === "") {
    return "Give it a name.";
  }
  if (/[~]/.test(name)) {
    return "A name cannot have ~ in it.";
  }
  return BUILT_IN[kind].includes(name.trim()) ? "There is a display of this name already, which cannot be replaced." : null;
}

/** All of a kind, by name. */
export function ownDisplays(text: string): OwnDisplay[] {
  return Object.entries(customDisplays(text).displays).map(([name, { breakdown, inverted }]) => {
    return { name, breakdown: JSON.stringify(breakdown, null, 2), inverted };
  });
}

function displaysText(all: readonly OwnDisplay[]): string {
  const entries = all.map(({ name, breakdown, inverted }) => [name, { breakdown: JSON.parse(breakdown) as unknown, inverted }]);
  return entries.length > 0 ? JSON.stringify(Object.fromEntries(entries)) : "";
}

/** The kept text with one more, which takes the place of one of its name. */
export function withDisplay(text: string, { name, ...rest }: OwnDisplay): string {
  const trimmed = name.trim();
  return displaysText([...ownDisplays(text).filter((one) => one.name !== trimmed), { name: trimmed, ...rest }]);
}

export function withoutDisplay(text: string, name: string): string {
  return displaysText(ownDisplays(text).filter((one) => one.name !== name));
}
