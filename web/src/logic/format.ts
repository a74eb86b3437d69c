// SPDX-License-Identifier: MIT
// Numbers as the page writes them.

const KIBI = 1024;

/** Made once: making one takes longer than a row. */
const wholeNumber = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 0 });

/** Groups of three digits, rounded. The sign is shown only on request, as in differences. */
export function formatNumber(value: number, isSigned = false): string {
  const rounded = Math.round(value);
  if (rounded === 0) {
    return "0";
  }
  const groups = wholeNumber.format(Math.abs(rounded)).replace(/\B(?=(\d{3})+$)/g, " ");
  return isSigned ? `${rounded < 0 ? "-" : "+"}${groups}` : groups;
}

export function formatPercent(percent: number, isSigned = false): string {
  return `${formatNumber(percent, isSigned)}%`;
}

/** A part of a whole in percent; 0 of nothing. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}

/** Whole units, rounded down, as the boxes of a tree map have room for. */
export function abbreviateBytes(bytes: number): string {
  if (bytes < KIBI) {
    return `${bytes}B`;
  }
  if (bytes < KIBI ** 2) {
    return `${Math.floor(bytes / KIBI)}KiB`;
  }
  return bytes < KIBI ** 3 ? `${Math.floor(bytes / KIBI ** 2)}MiB` : `${Math.floor(bytes / KIBI ** 3)}GiB`;
}

/** Three significant digits with a binary unit, for text. */
export function formatSize(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= KIBI && unit < units.length - 1) {
    value /= KIBI;
    unit++;
  }
  const sign = bytes < 0 ? "-" : "";
  if (unit === 0) {
    return `${sign}${formatNumber(value)} ${value === 1 ? "byte" : "bytes"}`;
  }
  return `${sign}${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit]}`;
}

/** A change of a size: more is plus. */
export function signedSize(bytes: number): string {
  return bytes > 0 ? `+${formatSize(bytes)}` : formatSize(bytes);
}

/** "1 node", "12 nodes". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${formatNumber(n)} ${n === 1 ? one : many}`;
}

/** `microseconds` since 1970, as the date and time of this place: 2026-11-20 15:37:00. */
export function formatTime(microseconds: number): string {
  const date = new Date(microseconds / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A node's id as the tools of its maker write it, which the commands take, too. @param format  of the file; Firefox's ids are addresses. */
export function formatId(id: number | string, format: string | null | undefined): string {
  return format === "fxsnapshot" ? `@ 0x${BigInt(id).toString(16)}` : `@${id}`;
}

/** What only the engine's own roots reach has this distance, and more, as in DevTools. */
const ENGINE_DISTANCE = 100_000_000;

/** Steps from the root, in a cell. */
export function formatDistance(distance: number | null | undefined): string {
  return distance === null || distance === undefined ? "–" : distance < ENGINE_DISTANCE ? String(distance) : "engine";
}

/** The same in words. */
export function distanceWords(distance: number | null): string {
  if (distance === null) {
    return "not reached";
  }
  return distance < ENGINE_DISTANCE ? plural(distance, "step") : "only from the engine's own roots";
}
