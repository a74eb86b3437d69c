// SPDX-License-Identifier: MIT
// The displays that there are: those of Firefox's memory panel, those that ubiheap has besides, and a user's own.
import type { Breakdown, CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";

export const COUNT: Breakdown = { by: "count", count: true, bytes: true };
const INTERNAL: Breakdown = { by: "internalType", then: COUNT };
const DESCRIPTIVE: Breakdown = { by: "descriptiveType", then: COUNT };
const STACK: Breakdown = { by: "allocationStack", then: COUNT, noStack: COUNT };
const CLASS: Breakdown = { by: "objectClass", then: COUNT, other: COUNT };

const COARSE: Breakdown = {
  by: "coarseType",
  objects: CLASS,
  strings: COUNT,
  scripts: { by: "filename", then: INTERNAL, noFilename: INTERNAL },
  other: INTERNAL,
  domNode: DESCRIPTIVE,
};

const LABEL: Breakdown = {
  by: "coarseType",
  objects: CLASS,
  scripts: { by: "internalType", then: { by: "filename", then: COUNT, noFilename: COUNT } },
  strings: INTERNAL,
  other: INTERNAL,
  domNode: DESCRIPTIVE,
};

export type Displays<Display> = Record<string, Display>;

export const CENSUS_DISPLAYS: Displays<CensusDisplay> = {
  coarseType: {
    displayName: "Type",
    tooltip: "What things are: class, type or file, then the coarse type",
    inverted: true,
    breakdown: COARSE,
  },
  allocationStack: { displayName: "Call Stack", tooltip: "Where things were allocated, callers first", inverted: false, breakdown: STACK },
  invertedAllocationStack: {
    displayName: "Inverted Call Stack",
    tooltip: "Where things were allocated, the allocating function first",
    inverted: true,
    breakdown: STACK,
  },
  coarseTypeTree: { displayName: "Coarse Type", tooltip: "Coarse types, then what is in each", inverted: false, breakdown: COARSE },
  objectClass: { displayName: "Class", tooltip: "JavaScript classes; what has none is under other", inverted: false, breakdown: CLASS },
  internalType: { displayName: "Internal Type", tooltip: "The engine's own names of types", inverted: false, breakdown: INTERNAL },
  filename: {
    displayName: "Script File",
    tooltip: "Scripts by the file that they come from",
    inverted: false,
    breakdown: { by: "filename", then: INTERNAL, noFilename: INTERNAL },
  },
  objectClassAllocationStack: {
    displayName: "Class, then Call Stack",
    tooltip: "For each class, where its objects were allocated",
    inverted: false,
    breakdown: { by: "objectClass", then: STACK, other: COUNT },
  },
};

export const LABEL_DISPLAYS: Displays<LabelDisplay> = {
  coarseType: { displayName: "Type", tooltip: "What the node is", breakdown: LABEL },
  allocationStack: {
    displayName: "Call Stack",
    tooltip: "Where the node was allocated, and what it is",
    breakdown: { by: "allocationStack", then: LABEL, noStack: LABEL },
  },
};

export const TREE_MAP_DISPLAY: CensusDisplay = {
  displayName: "Type",
  tooltip: "Coarse types, then what is in each",
  inverted: false,
  breakdown: COARSE,
};

export const TREE_MAP_DISPLAYS: Displays<TreeMapDisplay> = { coarseType: TREE_MAP_DISPLAY };

export const DEFAULT_DISPLAY = "coarseType";

function isBreakdown(value: unknown): value is Breakdown {
  return typeof value === "object" && value !== null && typeof (value as Breakdown).by === "string";
}

/** A user's own displays from their text, by name; what cannot be read is said, and there are none then. */
export function customDisplays(text: string): { displays: Displays<CensusDisplay>; error: string | null } {
  const displays: Displays<CensusDisplay> = {};
  if (text.trim() === "") {
    return { displays, error: null };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { displays, error: `custom displays are not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { displays, error: "custom displays must be an object: a name, and its display" };
  }
  for (const [name, display] of Object.entries(value as Record<string, unknown>)) {
    const { breakdown, inverted, tooltip } = (display ?? {}) as Partial<CensusDisplay>;
    const plain = isBreakdown(display) ? display : breakdown;
    if (!isBreakdown(plain)) {
      return { displays: {}, error: `the custom display "${name}" has no breakdown: { "by": ... }` };
    }
    displays[name] = { displayName: name, tooltip: tooltip ?? "A display of your own", inverted: inverted === true, breakdown: plain };
  }
  return { displays, error: null };
}
