// SPDX-License-Identifier: MIT
// The rows of a difference by class: which there are, in which order.
import type { Documents } from "../types/documents";

export type ClassRow = NonNullable<Documents["ubiheap.diff/1"]["byClass"]>[number];

/** Files by the numbers of scripts, as a difference has them. */
export type Scripts = Readonly<Record<string, string>>;

/** A class, and its number in the server's order, from 1: by that its objects are asked for. */
export interface ClassChange extends ClassRow {
  number: number;
  /** Where it is defined, in words; "": unknown. */
  where: string;
}

/** V8's places are script, line and column from 0; people write the file, and count from 1. */
function placeWords(place: string | undefined, scripts: Scripts): string {
  const [, script = "", line, column] = /^(\d+),(\d+),(\d+)$/.exec(place ?? "") ?? [];
  return script === "" ? (place ?? "") : `${scripts[script] ?? `script ${script}`}:${Number(line) + 1}:${Number(column) + 1}`;
}

/** The file without its folders. */
export function shortPlace(where: string): string {
  return where.slice(where.lastIndexOf("/") + 1);
}

/** Which objects of a class: those that only the comparison has, or only the baseline. */
export type ClassSide = "created" | "deleted";

/** What a class is known by in an address. */
export function classKey({ coarseType, name, place }: ClassRow): string {
  return [coarseType, name, ...(place ? [place] : [])].join("/");
}

function isChanged({ created, deleted, old, new: now }: ClassRow): boolean {
  return created.count > 0 || deleted.count > 0 || now.bytes !== old.bytes;
}

export function changedClasses(rows: readonly ClassRow[], scripts: Scripts = {}): ClassChange[] {
  return rows.map((row, at) => ({ ...row, number: at + 1, where: placeWords(row.place, scripts) })).filter(isChanged);
}

/** What each column of numbers shows of a class. */
export const CLASS_NUMBERS: Record<string, (row: ClassRow) => number> = {
  new: ({ created }) => created.count,
  deleted: ({ deleted }) => deleted.count,
  delta: ({ old, new: now }) => now.count - old.count,
  newBytes: ({ created }) => created.bytes,
  deletedBytes: ({ deleted }) => deleted.bytes,
  deltaBytes: ({ old, new: now }) => now.bytes - old.bytes,
};

function hasText({ name, where }: ClassChange, text: string): boolean {
  return name.includes(text) || where.includes(text);
}

/** Rows with a text in name or place, in an order: "-delta", "+name" and so on; "" that of the server, most changed first. */
export function classesShown(rows: readonly ClassChange[], filter: string | null, sort: string): ClassChange[] {
  const shown = filter ? rows.filter((row) => hasText(row, filter)) : [...rows];
  const column = sort.slice(1);
  const sign = sort.startsWith("-") ? -1 : 1;
  const number = CLASS_NUMBERS[column];
  if (number) {
    shown.sort((a, b) => sign * (number(a) - number(b)) || a.number - b.number);
  } else if (column === "name") {
    shown.sort((a, b) => sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.number - b.number);
  }
  return shown;
}

/** By how much objects that both snapshots have became larger: they are neither new nor deleted. */
export function bytesStayedChange(rows: readonly ClassChange[]): number {
  return rows.reduce((sum, { old, new: now, created, deleted }) => sum + (now.bytes - created.bytes) - (old.bytes - deleted.bytes), 0);
}

/** The side that a row is looked at first: what came, where anything did. */
export function firstSide({ created }: ClassRow): ClassSide {
  return created.count > 0 ? "created" : "deleted";
}
