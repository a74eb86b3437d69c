// SPDX-License-Identifier: MIT
// What a series of snapshots shows, in words.
import type { Documents } from "../types/documents";
import { formatNumber, formatSize, plural, signedSize } from "./format";

export type Leaks = Documents["ubiheap.leaks/1"];
export type Cluster = Leaks["clusters"][number];
export type Grown = Leaks["grown"][number];

const VERDICTS: Record<Cluster["verdict"], string> = {
  grew: "Came and stayed",
  steady: "Grows steadily",
  stepwise: "Grows step by step",
  once: "Grew once: perhaps set up once",
  large: "Few, but large",
  bounded: "As a full cache: others went",
  replaced: "Replaced: as many of its class went",
  controlled: "The same in the control",
};

export function verdictWords(verdict: Cluster["verdict"]): string {
  return VERDICTS[verdict];
}

/** Tables become larger by half and more at a time, and then have room for a while. */
const TABLE_GROWTH = 1.5;

function growsAsTables({ bytes, grewWith }: Grown): boolean {
  return grewWith.some((step) => (bytes[step] ?? 0) >= TABLE_GROWTH * (bytes[step - 1] ?? Infinity));
}

const GROWING: ReadonlySet<Cluster["verdict"]> = new Set(["steady", "stepwise"]);

/** What an object that grew holds of what keeps growing; "" if no cluster says so. */
function collectedWords({ nodeId, contentId }: Grown, clusters: readonly Cluster[]): string {
  const held = clusters.find(
    ({ holder, isLeak, verdict }) => isLeak && GROWING.has(verdict) && (holder?.nodeId === nodeId || holder?.nodeId === contentId),
  );
  return held ? `${held.className} in it ${verdictWords(held.verdict).toLowerCase()}` : "";
}

/**
 * How an object grew that was there before: a table grows when it is full, so two steps say little of it, and more steps only with what
 * it holds.
 */
export function grownWords(grown: Grown, clusters: readonly Cluster[]): string {
  const { verdict, grewWith, bytes, isLeak } = grown;
  const steps = bytes.length - 1;
  const collected = collectedWords(grown, clusters);
  if (verdict === "once" && collected) {
    return `Grows in steps, as tables do: ${collected}`;
  }
  if (!isLeak && verdict !== "once") {
    return `Probably no leak: ${verdictWords(verdict).toLowerCase()}`;
  }
  if (verdict === "once") {
    const when = `Grew with ${formatNumber(grewWith.length)} of ${formatNumber(steps)} steps`;
    if (steps > 2) {
      return growsAsTables(grown)
        ? `${when}: in steps, as tables do that fill, or set up once; look at what it holds`
        : `${when}, and not since: perhaps set up once`;
    }
    return "Grew with one of the two steps: a table that doubles has room for the other; six snapshots decide";
  }
  if (steps < 2) {
    return "Grew";
  }
  const how = `with ${formatNumber(grewWith.length)} of ${formatNumber(steps)} steps`;
  return verdict === "steady" ? `Grows steadily: ${how}` : `Grew ${how}`;
}

/** What holds the objects of a cluster: an object, a variable, or the engine. */
export function holderWords({ holder, heldBy = "nothing but roots of the engine" }: Cluster): string {
  return holder ? `Held by ${holder.words}${holder.isNew ? "; new itself" : ""}` : `Held by ${heldBy}`;
}

/** The first line: what is held, or that nothing is. */
export function headlineWords({ leaked, growth, heaps }: Leaks): string {
  if (leaked.clusters === 0 && growth.grownBytes === 0) {
    return heaps.length === 2 ? "Nothing new is held." : "Nothing leaks between these snapshots.";
  }
  const parts = [
    leaked.clusters > 0 &&
      `${plural(leaked.count, "new object")} ${leaked.count === 1 ? "keeps" : "keep"} ${formatSize(leaked.retainedSize)}, in ${plural(leaked.clusters, "cluster")}`,
    growth.grownBytes > 0 && `objects that were there before grew by ${formatSize(growth.grownBytes)}`,
  ];
  const text = parts.filter(Boolean).join("; ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** From the first heap to the last. */
export function growthWords({ heaps, growth }: Leaks): string {
  const [first, last] = [heaps[0], heaps[heaps.length - 1]];
  return `${formatSize(first?.bytes ?? 0)} → ${formatSize(last?.bytes ?? 0)} (${signedSize(growth.bytes)}, ${formatNumber(growth.count, true)} things)`;
}

/** Which objects count, where that is not all that is new: with three snapshots and more the last shows what of the others stayed. */
export function countedWords({ heaps }: Leaks): string {
  return heaps.length > 2 ? "; what came with the last snapshot does not count yet, as it may still go" : "";
}

/** What one should know before believing it. */
export function doubtsOf({ heaps, comparable, sameRun, orderIsKnown, idsAreAddresses }: Leaks): string[] {
  const isDoubtful = (comparable && !sameRun) || heaps.some(({ fit }) => fit === "other process");
  return [
    ...(isDoubtful ? ["These files are hardly of one run of a program: what they have in common may be chance."] : []),
    ...(comparable && !isDoubtful && orderIsKnown === false
      ? ["Nothing in the files says which was taken first: they are taken to stand in order."]
      : []),
    ...(comparable && idsAreAddresses
      ? [
          "Ids in these files are addresses: objects that the collector moved count as new, and objects at the address of a dead one as old.",
        ]
      : []),
    ...(comparable && heaps.length === 2
      ? ["A third snapshot, after the same work again, separates what leaks from what is set up once."]
      : []),
  ];
}

/** Why the files cannot be compared, one line for each that does not fit. */
export function misfitWords({ heaps }: Leaks): string[] {
  const words = { fits: "", "same snapshot": "is the same snapshot as the last", "out of order": "was taken after the last" };
  return heaps
    .filter(({ fit }) => fit !== "fits")
    .map(({ file, fit, count, commonIds, commonIdsOfEqualClass: same }) =>
      fit === "other process"
        ? `${file} is hardly of the process of the last: of its ${plural(count, "thing")}, ${formatNumber(commonIds)} have ids that are there, too, and ${formatNumber(same)} of these are of the same class`
        : `${file} ${words[fit]}`,
    );
}

/** A cluster's name: of functions, which. */
export function clusterName({ className, name }: Cluster): string {
  return name ? `${className} ${name}()` : className;
}

/** Where its class is defined, in words; "": unknown. */
export function clusterPlace({ location, place }: Cluster): string {
  return location ? `${location.file}:${location.line}:${location.column}` : (place ?? "");
}

export interface Series {
  values: readonly number[];
  words: string;
}

/** What is drawn of a cluster: how many came with each step; of a single step, how many of the class there were. */
export function clusterSeries({ came, classCounts, className }: Cluster): Series {
  const isStep = came.length > 1;
  const values = isStep ? came : classCounts;
  const text = values.map((value) => formatNumber(value)).join(", ");
  return { values, words: isStep ? `Came with each step and stayed: ${text}` : `${className} in each snapshot: ${text}` };
}

export function clusterCells({ clusters }: Leaks): (string | number | null)[][] {
  const titles = ["verdict", "isLeak", "className", "place", "count", "bytes", "retainedSize", "came", "holder", "path", "example"];
  const rows = clusters.map((one) => [
    ...[one.verdict, String(one.isLeak), clusterName(one), clusterPlace(one), one.count, one.bytes, one.retainedSize],
    ...[one.came.join(" "), one.holder?.words ?? one.heldBy ?? "", one.path, one.example],
  ]);
  return [titles, ...rows];
}

/** What a search that was ended says. */
export const CANCELLED = "The search was cancelled.";

export function isCancelled(error: string): boolean {
  return error === CANCELLED;
}

/** Whether the server says that another order is needed, and can make it. */
export function isAboutOrder(error: string): boolean {
  return error.includes("--reorder");
}

/** An error of the server without the names of options, which are of no use here. */
export function plainError(error: string): string {
  return error.replace(/^leaks: /, "").replace(/ \(--reorder does it\)/, "");
}
