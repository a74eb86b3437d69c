// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import {
  clusterCells,
  clusterName,
  clusterPlace,
  clusterSeries,
  countedWords,
  doubtsOf,
  grownWords,
  growthWords,
  headlineWords,
  holderWords,
  isAboutOrder,
  misfitWords,
  plainError,
} from "./leaks";
import type { Cluster, Grown, Leaks } from "./leaks";

const heap = (file: string, bytes: number, fit: Leaks["heaps"][number]["fit"] = "fits") => ({
  ...{ file, bytes, count: bytes / 10, commonIds: 9, commonIdsOfEqualClass: 8, fit },
});
const cluster: Cluster = {
  ...{ className: "Session", coarseType: "Object", verdict: "steady", isLeak: true, count: 30, bytes: 300, retainedSize: 4096 },
  ...{
    retainedCount: 60,
    older: 0,
    classCounts: [10, 20, 40],
    came: [10, 20],
    grewWith: [1, 2],
    keeps: [],
    example: 7,
    path: "root → all",
    pathLength: 2,
  },
  holder: { nodeId: 5, className: "Array", words: "Array, all", isNew: false, holders: 1 },
};
const base: Leaks = {
  ...{ schema: "ubiheap.leaks/1", old: heap("a", 1024), new: heap("b", 2048), heaps: [heap("a", 1024), heap("b", 2048), heap("c", 4096)] },
  growth: {
    count: 12,
    bytes: 3072,
    grownBytes: 0,
    unlistedBytes: 0,
    unlisted: { verdict: "grew", isLeak: false, stayedBytes: 0, bytes: [0] },
  },
  leaked: { count: 30, bytes: 300, retainedSize: 4096, clusters: 1 },
  ...{ byVerdict: {}, clusterCount: 1, comparable: true, sameRun: true, orderIsKnown: true, idsAreAddresses: false },
  ...{ clusters: [cluster], grown: [] },
};
const none = { count: 0, bytes: 0, retainedSize: 0, clusters: 0 };

const grown = (verdict: Grown["verdict"], bytes: number[], grewWith: number[], isLeak = true) =>
  grownWords({ verdict, bytes, grewWith, isLeak, nodeId: 5 } as Grown, []);

describe("leaks in words", () => {
  it("say of a table that doubles what its series says, and not more", () => {
    expect(grown("once", [100, 100, 200], [2], false)).toContain("a table that doubles has room for the other");
    expect(grown("once", [10, 11, 11, 11, 11], [1])).toBe("Grew with 1 of 4 steps, and not since: perhaps set up once");
    expect(grown("once", [1, 2, 4, 4], [1, 2])).toBe(
      "Grew with 2 of 3 steps: in steps, as tables do that fill, or set up once; look at what it holds",
    );
    const table = { verdict: "once", bytes: [1, 2, 4, 4], grewWith: [1, 2], isLeak: false, nodeId: 5 } as unknown as Grown;
    expect(grownWords(table, [cluster])).toBe("Grows in steps, as tables do: Session in it grows steadily");
    expect(grown("stepwise", [1, 2, 2, 4, 4], [1, 3])).toBe("Grew with 2 of 4 steps");
    expect(grown("steady", [1, 2, 3, 4], [1, 2, 3])).toBe("Grows steadily: with 3 of 3 steps");
    expect([grown("grew", [1, 2], [1]), grown("bounded", [2, 1, 1], [], false)]).toEqual([
      "Grew",
      "Probably no leak: as a full cache: others went",
    ]);
  });

  it("say what holds a cluster, also where no older object does", () => {
    expect(holderWords(cluster)).toBe("Held by Array, all");
    expect(holderWords({ ...cluster, holder: { ...cluster.holder!, isNew: true } })).toBe("Held by Array, all; new itself");
    expect(holderWords({ ...cluster, holder: null, heldBy: "variable last of add()" })).toBe("Held by variable last of add()");
    expect(holderWords({ ...cluster, holder: null })).toBe("Held by nothing but roots of the engine");
  });

  it("begin with what is held", () => {
    expect(headlineWords(base)).toBe("30 new objects keep 4.00 KiB, in 1 cluster.");
    expect(headlineWords({ ...base, leaked: none })).toBe("Nothing leaks between these snapshots.");
    expect(headlineWords({ ...base, leaked: none, heaps: base.heaps.slice(1) })).toBe("Nothing new is held.");
    const grown = { ...base, leaked: none, growth: { ...base.growth, grownBytes: 2048 } };
    expect(headlineWords(grown)).toBe("Objects that were there before grew by 2.00 KiB.");
    expect(growthWords(base)).toBe("1.00 KiB → 4.00 KiB (+3.00 KiB, +12 things)");
  });

  it("say which objects count", () => {
    expect(countedWords(base)).toContain("does not count yet");
    expect(countedWords({ ...base, heaps: base.heaps.slice(1) })).toBe("");
  });

  it("say what is doubtful", () => {
    expect(doubtsOf(base)).toEqual([]);
    expect(doubtsOf({ ...base, orderIsKnown: false })[0]).toMatch(/taken first/);
    expect(doubtsOf({ ...base, idsAreAddresses: true })[0]).toMatch(/addresses/);
    expect(doubtsOf({ ...base, heaps: base.heaps.slice(1) })[0]).toMatch(/third snapshot/);
    expect(doubtsOf({ ...base, sameRun: false })[0]).toMatch(/one run/);
  });

  it("say which files do not fit", () => {
    const heaps = [heap("a", 1000, "other process"), heap("b", 1000, "same snapshot"), heap("c", 10)];
    const [first, second, ...others] = misfitWords({ ...base, heaps });
    expect(first).toBe(
      "a is hardly of the process of the last: of its 100 things, 9 have ids that are there, too, and 8 of these are of the same class",
    );
    expect(second).toBe("b is the same snapshot as the last");
    expect(others).toEqual([]);
  });

  it("draw steps, and of one step the counts", () => {
    expect(clusterSeries(cluster)).toEqual({ values: [10, 20], words: "Came with each step and stayed: 10, 20" });
    const one = { ...cluster, came: [10], classCounts: [10, 20] };
    expect(clusterSeries(one)).toEqual({ values: [10, 20], words: "Session in each snapshot: 10, 20" });
    expect(clusterName({ ...cluster, className: "Function", name: "tick" })).toBe("Function tick()");
  });

  it("say where their class is defined, as file and line", () => {
    const location = { file: "/srv/a.js", line: 4, column: 30 };
    expect([clusterPlace({ ...cluster, place: "82,3,29", location }), clusterPlace(cluster)]).toEqual(["/srv/a.js:4:30", ""]);
  });

  it("are copied as rows", () => {
    const [titles, row] = clusterCells(base);
    expect(titles?.length).toBe(row?.length);
    expect(row).toEqual(["steady", "true", "Session", "", 30, 300, 4096, "10 20", "Array, all", "root → all", 7]);
  });

  it("know an error that another order mends", () => {
    const error = "leaks: not in the order in which they were taken, which is: a b (--reorder does it)";
    expect([isAboutOrder(error), plainError(error)]).toEqual([true, "not in the order in which they were taken, which is: a b"]);
    expect(isAboutOrder("leaks: damaged")).toBe(false);
  });
});
