// SPDX-License-Identifier: MIT
// Breakdowns, which say how a census groups, and displays, which are named breakdowns.

export type Breakdown = { by: string; [part: string]: Breakdown | string | boolean | undefined };

/** A way to show a census: how it groups, and whether the tree is turned over. */
export interface CensusDisplay {
  displayName: string;
  tooltip: string;
  inverted: boolean;
  breakdown: Breakdown;
}

export interface LabelDisplay {
  displayName: string;
  tooltip: string;
  breakdown: Breakdown;
}

export type TreeMapDisplay = CensusDisplay;
