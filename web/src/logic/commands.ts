// SPDX-License-Identifier: MIT
// The commands of `ubiheap` that give what the page shows, as a shell takes them.

import { plural } from "./format";

function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/** `ubiheap` with these words; what is empty is left out, and a pair is an option with its value. */
export function commandText(...words: (string | null | undefined | false | [string, string | number | null])[]): string {
  const texts = words.flatMap((one) => {
    if (Array.isArray(one)) {
      return one[1] === null || one[1] === "" ? [] : [one[0], word(String(one[1]))];
    }
    return one ? [word(one)] : [];
  });
  return ["ubiheap", ...texts].join(" ");
}

/** What the last row of a copy says of rows that are not in it. */
export function moreRows(count: number): string {
  return plural(count, "more row");
}

/** A table as CSV, by RFC 4180. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null) => {
    const text = String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A table of text with aligned columns: numbers to the right. */
export function tableText(rows: readonly (readonly (string | number | null)[])[]): string {
  const texts = rows.map((row) => row.map((value) => String(value ?? "")));
  const widths: number[] = [];
  texts.forEach((row) => row.forEach((text, column) => (widths[column] = Math.max(widths[column] ?? 0, text.length))));
  const isNumber = (column: number) => rows.slice(1).every((row) => typeof row[column] === "number");
  const line = (row: string[]) =>
    row.map((text, column) => (isNumber(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0))).join("  ");
  return texts.map((row) => `${line(row).trimEnd()}\n`).join("");
}
