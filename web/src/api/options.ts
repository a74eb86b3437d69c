// SPDX-License-Identifier: MIT
// What questions of the client are asked with.
import type { Breakdown } from "../types/breakdown";
import type { NodeId } from "../types/heap";

/** 0, 1, 2, ...: never given twice. */
export type DominatorTreeId = number;

/** Where nodes of a group are listed from, and how many. */
export interface GroupOptions {
  dominatorTreeId: DominatorTreeId;
  /** Any node of the group. */
  like: NodeId;
  breakdown: Breakdown | string;
  startIndex: number;
  maxCount: number;
}

/** Which classes of a list: those with a text in their name; "-count", "+name" and so on, "" by what they retain. */
export interface ClassesOptions {
  filter: string | null;
  sort: string;
  offset: number;
  rows: number;
}

export interface ClassMembersOptions {
  /** Of the difference by class, from 1. */
  row: number;
  side: "created" | "deleted";
  maxIndividuals: number;
}

export interface RecordingOptions {
  /** Of an object to get a stack: above 0, to 1. */
  probability: number;
  maxLogLength: number;
}

export interface LeaksOptions {
  reorder: boolean;
  allowOtherProcess: boolean;
  /** Clusters; 0: all. */
  limit: number;
}

export interface TreeMapOptions {
  breakdown: Breakdown | string;
  width: number;
  height: number;
  /** Of a part of the map: the row at its top, and how many rows below that are left out, those first that are largest. */
  parent?: number;
  offset?: number;
}
