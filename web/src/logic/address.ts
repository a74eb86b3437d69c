// SPDX-License-Identifier: MIT
// What is shown, as the part of the page's address behind the #: any view can be shared, and opened in another tab.
import type { HeapPath, NodeId } from "../types/heap";

export const VIEW_NAMES = ["start", "tree-map", "census", "dominators", "diff", "leaks", "individuals", "object", "settings"] as const;
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
  /** Of dominators: "class", if children are grouped; of a difference: "class", or "" for groups. */
  by: string;
  filter: string;
  sort: string;
  /** Of individuals: the parts of the census, between commas. */
  indices: string;
  /** Of leaks: "1", if files of several processes are compared, too. */
  anyway: string;
  /** Of a difference by class: the class whose objects are shown, and which of them. */
  row: string;
  side: string;
}

export const NOWHERE: Address = {
  view: "start",
  heap: null,
  other: null,
  heaps: [],
  node: null,
  display: "",
  labels: "",
  by: "",
  filter: "",
  sort: "",
  indices: "",
  anyway: "",
  row: "",
  side: "",
};

const QUERY = ["by", "anyway", "display", "labels", "filter", "sort", "indices", "row", "side"] as const;
/** Views whose address may name an object. */
const WITH_NODE: readonly ViewName[] = ["object", "dominators", "tree-map"];

export function addressText(address: Partial<Address>): string {
  const { view = "start", heap, other, node } = address;
  const steps = view === "leaks" ? [view] : [view, heap, view === "diff" ? other : WITH_NODE.includes(view) ? node : null];
  const path = steps.filter((step) => step !== null && step !== undefined).map((step) => encodeURIComponent(String(step)));
  if (view === "leaks" && address.heaps?.length) {
    path.push(address.heaps.map(encodeURIComponent).join(","));
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

/** An id of a node: a number where that is exact. */
export function nodeIdOf(text: string): NodeId {
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : text;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What an address says; what is not understood is left out. */
export function addressOf(text: string): Address {
  const [path = "", query = ""] = text.replace(/^#\/?/, "").split("?");
  const [view, heap, third] = path.split("/").map(decoded);
  const known = VIEW_NAMES.find((name) => name === view);
  if (!known) {
    return NOWHERE;
  }
  const values = new URLSearchParams(query);
  const address = { ...NOWHERE, view: known, heap: heap || null };
  for (const name of QUERY) {
    address[name] = values.get(name) ?? "";
  }
  if (known === "leaks") {
    const heaps = (path.split("/")[1] ?? "").split(",").flatMap((one) => decoded(one) || []);
    return { ...address, heaps, heap: heaps[0] ?? null };
  }
  if (known === "diff") {
    return { ...address, other: third || null };
  }
  return { ...address, node: WITH_NODE.includes(known) && third && /^\d+$/.test(third) ? nodeIdOf(third) : null };
}

/** The server's address with the token of a text that somebody has pasted; null: there is none. @param here  the page's own server. */
export function enteringAddress(text: string, here: string): string | null {
  const token = /(?:^|[?&]token=)([0-9a-f]{32})(?![0-9a-f])/i.exec(text.trim())?.[1];
  const origin = /^https?:\/\/[^/?#\s]+/.exec(text.trim())?.[0] ?? here;
  return token ? `${origin}/?token=${token}` : null;
}
