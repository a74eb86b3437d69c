// SPDX-License-Identifier: MIT
// What is shown, as the part of the page's address behind the #: any view can be shared, and opened in another tab.
import type { HeapPath, NodeId } from "../types/heap";

export const VIEW_NAMES = [
  "start",
  "tree-map",
  "census",
  "summary",
  "dominators",
  "diff",
  "leaks",
  "individuals",
  "object",
  "settings",
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

export interface Address {
  view: ViewName;
  heap: HeapPath | null;
  /** Of a difference: what the heap is compared with. */
  other: HeapPath | null;
  /** Of leaks: all snapshots, oldest first; the heap is the first. */
  heaps: readonly HeapPath[];
  /** Of an object's page; of a view that has a place for every object, the one that it shows. */
  node: NodeId | null;
  /** Ids of displays; "" the default. */
  display: string;
  labels: string;
  /** How these group, as JSON, where they are a user's own: other browsers do not know them. */
  breakdown: string;
  labelBreakdown: string;
  /** Of dominators: "class", if children are grouped; of a difference: "class", or "" for groups. */
  by: string;
  filter: string;
  sort: string;
  /** Of individuals: the parts of the census, between commas, and the bytes of the file in which these have the numbers. */
  indices: string;
  bytes: string;
  /** Of individuals: the class whose objects these are, in place of parts of a census. */
  kind: string;
  /** Of leaks, and of a difference by class: "1", if files of several processes are compared, too. */
  anyway: string;
  /** Of a difference by class: the class whose objects are shown, and which of them. */
  row: string;
  side: string;
  /** Of an object: which file of that name it is in, as fileMark writes it. */
  of: string;
  /** Of a tree map: what of it is seen, as zoom.ts writes it. */
  zoom: string;
}

const QUERY = [
  ...(["by", "anyway", "display", "breakdown", "labels", "labelBreakdown", "filter", "sort"] as const),
  ...(["indices", "bytes", "kind", "row", "side", "of", "zoom"] as const),
] as const;
const NO_QUERY = Object.fromEntries(QUERY.map((name) => [name, ""])) as Record<(typeof QUERY)[number], "">;

export const NOWHERE: Address = { view: "start", heap: null, other: null, heaps: [], node: null, ...NO_QUERY };

/** Views whose address may name an object. */
export const WITH_NODE: readonly ViewName[] = ["object", "dominators", "tree-map"];

/** An address of an object says in which file it is: others of that name have other objects under its id. */
export function withMark(address: Partial<Address>, marks: Readonly<Record<HeapPath, string>>): Partial<Address> {
  const { view = "start", heap, node } = address;
  const isOfObject = heap && node !== null && node !== undefined && WITH_NODE.includes(view);
  return isOfObject ? { ...address, of: marks[heap] ?? "" } : address;
}

/** @param words  what open heaps are called, by their ids; one that is not there is called by its id. */
export function addressText(address: Partial<Address>, words: Readonly<Record<HeapPath, string>> = {}): string {
  const { view = "start", heap, other, node } = address;
  const called = (path: HeapPath | null | undefined) => (path ? (words[path] ?? path) : null);
  const steps = view === "leaks" ? [view] : [view, called(heap), view === "diff" ? called(other) : WITH_NODE.includes(view) ? node : null];
  const path = steps.filter((step) => step !== null && step !== undefined).map((step) => encodeURIComponent(String(step)));
  if (view === "leaks" && address.heaps?.length) {
    path.push(address.heaps.map((one) => encodeURIComponent(called(one) ?? "")).join(","));
  }
  const query = new URLSearchParams();
  for (const name of QUERY) {
    if (address[name]) {
      query.set(name, address[name]);
    }
  }
  const text = query.toString();
  return `#/${path.join("/")}${text && `?${text}`}`;
}

/** An id of a node, as a number where that is exact: in digits, or as the tools of its maker write it; null: it is none. */
export function nodeIdOf(text: string): NodeId | null {
  const digits = /^@?(\d{1,20}|0x[\da-f]{1,16})$/i.exec(text)?.[1];
  if (digits === undefined) {
    return null;
  }
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : BigInt(digits).toString();
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What an address says, heaps as it calls them; and what of it is not understood, in words. */
export interface ReadAddress {
  address: Address;
  faults: string[];
}

const isNowhere = (text: string) => /^#?\/?$/.test(text);

/** What is not understood is left out. */
export function addressOf(text: string): ReadAddress {
  const [path = "", ...queries] = text.replace(/^#\/?/, "").split("?");
  const [view, ...steps] = path.split("/").map(decoded);
  const known = VIEW_NAMES.find((name) => name === view);
  if (!known) {
    return { address: NOWHERE, faults: isNowhere(text) ? [] : [`The address names no view of this page: “${view ?? path}”.`] };
  }
  const values = new URLSearchParams(queries.join("?"));
  const address = { ...NOWHERE, view: known };
  for (const name of QUERY) {
    address[name] = values.get(name) ?? "";
  }
  const faults = [...new Set(values.keys())]
    .filter((name) => !(QUERY as readonly string[]).includes(name))
    .map((name) => `“${name}” in the address means nothing here.`);
  const wrong = valueFaults(address);
  const place = placeOf(known, path.split("/").slice(1), steps);
  return { address: { ...address, ...place.address }, faults: [...place.faults, ...faults, ...wrong] };
}

/** What is behind the view: heaps, an object. */
function placeOf(
  view: ViewName,
  raw: string[],
  [heap, third, ...more]: (string | null)[],
): { address: Partial<Address>; faults: string[] } {
  const faults = [heap, third].includes(null) ? ["The address has a % that is followed by no number."] : [];
  const rest = more.filter((step) => step !== "");
  if (view === "leaks") {
    const heaps = (raw[0] ?? "").split(",").flatMap((one) => decoded(one) || []);
    return { address: { heaps, heap: heaps[0] ?? null }, faults };
  }
  const hasThird = view === "diff" || WITH_NODE.includes(view);
  const tooMuch = [...(hasThird ? [] : [third]), ...rest].filter(Boolean);
  faults.push(...tooMuch.map((step) => `“${step}” in the address means nothing here.`));
  if (view === "diff") {
    return { address: { heap: heap || null, other: third || null }, faults };
  }
  const node = hasThird && third ? nodeIdOf(third) : null;
  if (hasThird && third && node === null) {
    faults.push(`“${third}” is no id of an object: an id is a number.`);
  }
  return { address: { heap: heap || null, node }, faults };
}

/** Words that some values are, or what they look like; "" is always one. */
const VALUES: Partial<Record<(typeof QUERY)[number], RegExp>> = {
  by: /^class$/,
  anyway: /^1$/,
  side: /^(created|deleted)$/,
  indices: /^\d+(,\d+)*$/,
  bytes: /^\d+$/,
  of: /^\d+(-\d+){0,2}$/,
  zoom: /^[\d.]+,[\d.]+,[\d.]+$/,
};

/** Leaves out the values that mean nothing. */
function valueFaults(address: Address): string[] {
  const faults: string[] = [];
  for (const [name, form] of Object.entries(VALUES) as [(typeof QUERY)[number], RegExp][]) {
    if (address[name] !== "" && !form.test(address[name])) {
      faults.push(`“${address[name]}” in the address is no value of “${name}”.`);
      address[name] = "";
    }
  }
  return faults;
}

/** An address without the object that has the focus in a view that has a place for every object: the rest is the same whichever has it. */
export function sightOfAddress(text: string): string {
  const { address } = addressOf(text);
  return addressText({ ...address, of: "", node: address.view === "object" ? address.node : null });
}

/** The server's address with the token of a text that somebody has pasted; null: there is none. @param here  the page's own server. */
export function enteringAddress(text: string, here: string): string | null {
  const token = /(?:^|[?&]token=)([0-9a-f]{32})(?![0-9a-f])/i.exec(text.trim())?.[1];
  const origin = /^https?:\/\/[^/?#\s]+/.exec(text.trim())?.[0] ?? here;
  return token ? `${origin}/?token=${token}` : null;
}
