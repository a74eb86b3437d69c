// SPDX-License-Identifier: MIT
// The conformance cases of Firefox's HeapAnalysesWorker, by number, against a real server: $UBIHEAP serve.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getHeapSnapshotTempFilePath, HeapAnalysesClient } from "./HeapAnalysesClient";
import { Http } from "./http";
import { folderOf, serve, snapshotFile, type Serving } from "./serving";

const tool = process.env.UBIHEAP;
const P = "graph.fxsnapshot";
const COUNT = { by: "count", count: true, bytes: true };
const CLASSES = { by: "objectClass", then: COUNT, other: COUNT };
const TYPES = { by: "internalType", then: COUNT };

const GRAPH = snapshotFile(1700000000123456, [
  [
    1,
    {
      size: 10,
      type: "root",
      edges: [
        [20, "a"],
        [30, "b"],
        [10, "c"],
        [10, "dup"],
        [50, "s"],
        [60, "d"],
        [1, "self"],
      ],
    },
  ],
  [20, { size: 100, type: "JSObject", coarse: 1, className: "Array", edges: [[40]] }],
  [30, { size: 200, type: "JSObject", coarse: 1, className: "Object" }],
  [10, { size: 50, type: "JSObject", coarse: 1, className: "Array" }],
  [50, { size: 9, type: "js::BaseScript", coarse: 2, file: "x.js" }],
  [60, { size: 11, type: "nsIDOM", coarse: 4, descriptive: "div", className: "HTMLDivElement" }],
  [40, { size: 7, type: "JSString", coarse: 3 }],
  [70, { size: 1000, type: "unreach" }],
]);

/** The same heap later: one array is gone, and two are new. */
const LATER = snapshotFile(1700000001000000, [
  [1, { size: 10, type: "root", edges: [[20], [30], [80], [81]] }],
  [20, { size: 100, type: "JSObject", coarse: 1, className: "Array", edges: [[40]] }],
  [30, { size: 200, type: "JSObject", coarse: 1, className: "Object" }],
  [80, { size: 5, type: "JSObject", coarse: 1, className: "Array" }],
  [81, { size: 6, type: "JSObject", coarse: 1, className: "Array" }],
  [40, { size: 7, type: "JSString", coarse: 3 }],
]);

describe.skipIf(!tool)("HeapAnalysesClient", () => {
  const files = folderOf({ [P]: GRAPH, "later.fxsnapshot": LATER, "123-4.fxsnapshot": LATER, "broken.fxsnapshot": GRAPH.subarray(0, 40) });
  let serving: Serving;
  let client: HeapAnalysesClient;
  const reading = async () => client.readHeapSnapshot(P);

  beforeAll(async () => {
    serving = await serve(tool ?? "", "--compat", "firefox", "--root", files.path);
  });
  afterAll(async () => {
    await serving.end();
    files.remove();
  });
  beforeEach(() => {
    client = new HeapAnalysesClient(new Http(serving.base, serving.token));
  });

  it("1: knows no snapshot before it is read, and says why one cannot be", async () => {
    const unknown = `No known heap snapshot for '${P}'`;
    await expect(client.takeCensus(P)).rejects.toThrow(unknown);
    await expect(client.getCreationTime(P)).rejects.toThrow(unknown);
    await expect(client.computeDominatorTree(P)).rejects.toThrow(unknown);
    await expect(client.deleteHeapSnapshot(P)).rejects.toThrow(unknown);
    const failed = /^Error while performing task "readHeapSnapshot":/;
    await expect(client.readHeapSnapshot("missing.fxsnapshot")).rejects.toMatch(failed);
    await expect(client.readHeapSnapshot("broken.fxsnapshot")).rejects.toMatch(failed);
  });

  it("2: reads again what it has read", async () => {
    expect([await reading(), await reading(), await client.getCreationTime(P)]).toEqual([true, true, 1700000000123456]);
  });

  it("3: gives raw reports, and trees only of a breakdown", async () => {
    await reading();
    const counted = { report: { count: 7, bytes: 387 }, parentMap: undefined };
    expect(await client.takeCensus(P, { breakdown: COUNT })).toEqual(counted);
    expect(await client.takeCensus(P, { breakdown: COUNT }, { filter: "x" })).toEqual(counted);
    expect((await client.takeCensus(P, {})).report).toMatchObject({ objects: { Object: { count: 1, bytes: 200 } } });
    await expect(client.takeCensus(P, {}, { asTreeNode: true })).rejects.toThrow(TypeError);
  });

  it("4: gives trees, turned over and filtered", async () => {
    await reading();
    const { report } = await client.takeCensus(P, { breakdown: CLASSES }, { asTreeNode: true });
    expect(report).toMatchObject({ id: 1, bytes: 0, totalBytes: 387, count: 0, totalCount: 7 });
    const rows = (report as { children: { name: string; id: number; reportLeafIndex: number; bytes: number; count: number }[] }).children;
    expect(rows.map(({ name, id, reportLeafIndex, bytes, count }) => [name, id, reportLeafIndex, bytes, count])).toEqual([
      ["Object", 3, 2, 200, 1],
      ["Array", 4, 3, 150, 2],
      ["other", 5, 4, 26, 3],
      ["HTMLDivElement", 2, 1, 11, 1],
    ]);
    const turned = await client.takeCensus(P, { breakdown: CLASSES }, { asInvertedTreeNode: true, filter: "Arr" });
    expect(turned.report).toMatchObject({ id: 15, children: [{ name: "Array", id: 16, children: [{ name: null, id: 17 }] }] });
    expect(Object.keys(turned.parentMap ?? {})).toEqual(["16", "17"]);
  });

  it("5: says what is wrong with a breakdown, and which snapshot is unknown", async () => {
    await reading();
    await expect(client.takeCensus(P, { breakdown: { by: "nope" } })).rejects.toThrow(TypeError);
    await expect(client.takeCensusDiff(P, "other", { breakdown: COUNT })).rejects.toThrow("No known heap snapshot for 'other'");
  });

  it("6: bases the tree of a difference on the first census", async () => {
    await reading();
    const { delta } = await client.takeCensusDiff(P, P, { breakdown: CLASSES }, { asTreeNode: true });
    expect(delta).toMatchObject({ totalBytes: 387, totalCount: 7 });
  });

  it("7: numbers dominator trees", async () => {
    await reading();
    const tree = (dominatorTreeId: number) => client.getDominatorTree({ dominatorTreeId, breakdown: TYPES });
    for (const id of [0, -1, "x" as unknown as number]) {
      await expect(tree(id)).rejects.toThrow(`There does not exist a DominatorTree with the id ${id}`);
    }
    expect([await client.computeDominatorTree(P), await client.computeDominatorTree(P)]).toEqual([0, 1]);
  });

  it("8: gives the upper part of a dominator tree, with paths", async () => {
    await reading();
    await client.computeDominatorTree(P);
    const root = await client.getDominatorTree({ dominatorTreeId: 0, breakdown: TYPES, maxDepth: 2, maxSiblings: 2, maxRetainingPaths: 1 });
    expect(root).toMatchObject({ nodeId: 1, shallowSize: 10, retainedSize: 387, moreChildrenAvailable: true });
    const edge = (to: number, name: string) => ({ edges: [{ from: 1, to, name }] });
    expect(root.children).toMatchObject([
      { nodeId: 30, shallowSize: 200, retainedSize: 200, moreChildrenAvailable: false, shortestPaths: edge(30, "b") },
      { nodeId: 20, shallowSize: 100, retainedSize: 107, moreChildrenAvailable: true, shortestPaths: edge(20, "a") },
    ]);
    expect(root.children?.map((child) => child.children)).toEqual([undefined, undefined]);
  });

  it("9: gives what a node dominates, from an index on", async () => {
    await reading();
    await client.computeDominatorTree(P);
    const dominated = (nodeId: number, more = {}) =>
      client.getImmediatelyDominated({ dominatorTreeId: 0, nodeId, breakdown: TYPES, ...more });
    const some = await dominated(1, { startIndex: 1, maxCount: 2 });
    expect(some).toMatchObject({ nodes: [{ nodeId: 20 }, { nodeId: 10 }], moreChildrenAvailable: true, path: [1] });
    const all = await dominated(20);
    expect(all).toMatchObject({ nodes: [{ nodeId: 40 }], moreChildrenAvailable: false, path: [1, 20] });
    expect(all.nodes[0]?.shortestPaths?.nodes.map(({ id }) => id)).toEqual([40, 1, 20]);
    expect(all.nodes[0]?.shortestPaths?.edges).toEqual([
      { from: 1, to: 20, name: "a" },
      { from: 20, to: 40, name: null },
    ]);
    await expect(dominated(40)).rejects.toThrow();
    await expect(dominated(12345)).rejects.toThrow("12345 is not a node id in the dominator tree");
  });

  it("10: gives individuals that retain most", async () => {
    await reading();
    await client.computeDominatorTree(P);
    const of = { dominatorTreeId: 0, censusBreakdown: CLASSES };
    const { nodes } = await client.getCensusIndividuals({ ...of, indices: new Set([2, 3]), maxIndividuals: 2 });
    expect(nodes.map(({ nodeId, retainedSize }) => [nodeId, retainedSize])).toEqual([
      [30, 200],
      [20, 107],
    ]);
    await expect(client.getCensusIndividuals({ ...of, indices: new Set() })).rejects.toThrow();
  });

  it("11: deletes a snapshot with the first of its trees", async () => {
    await reading();
    await client.computeDominatorTree(P);
    await client.computeDominatorTree(P);
    expect(await client.deleteHeapSnapshot(P)).toBeUndefined();
    const unknown = `No known heap snapshot for '${P}'`;
    await expect(client.takeCensus(P)).rejects.toThrow(unknown);
    await expect(client.getDominatorTree({ dominatorTreeId: 0, breakdown: TYPES })).rejects.toThrow(TypeError);
    expect(await client.getDominatorTree({ dominatorTreeId: 1, breakdown: TYPES })).toMatchObject({ nodeId: 1 });
    await expect(client.deleteHeapSnapshot(P)).rejects.toThrow(unknown);
  });

  it("12: answers nothing after it was destroyed", async () => {
    await reading();
    client.destroy();
    await expect(client.takeCensus(P)).rejects.toThrow(TypeError);
  });

  it("13: knows ids of files, and is led nowhere by what is none", async () => {
    expect(["123", "123-4"].map(getHeapSnapshotTempFilePath)).toEqual(["123.fxsnapshot", "123-4.fxsnapshot"]);
    const none = ["-1", "1-", "../x", "", "1a", " 12", "12\n", "1-2-3", "1--2", "1/2"];
    expect(none.map(getHeapSnapshotTempFilePath)).toEqual(none.map(() => null));
    expect(await client.haveHeapSnapshotTempFile("123-4")).toBe(true);
    expect(await client.haveHeapSnapshotTempFile("123")).toBe(false);
    expect(await client.haveHeapSnapshotTempFile("../graph")).toBe(false);
    expect(await client.readHeapSnapshot(getHeapSnapshotTempFilePath("123-4") ?? "")).toBe(true);
  });

  it("gives pages of rows, in an order", async () => {
    await reading();
    const page = { breakdown: CLASSES, inverted: false, filter: null, parent: null, offset: 1, rows: 2, sort: "" };
    const names = async (more: object) => (await client.getCensusRows(P, { ...page, ...more })).rows.map((row) => row.name);
    expect(await client.getCensusRows(P, page)).toMatchObject({ parent: 1, offset: 1, childCount: 4, totalBytes: 387, totalCount: 7 });
    expect(await names({})).toEqual(["Array", "other"]);
    expect(await names({ offset: 0, rows: 4, sort: "name" })).toEqual(["Array", "HTMLDivElement", "Object", "other"]);
    expect(await names({ offset: 0, rows: 1, sort: "-count" })).toEqual(["other"]);
  });

  it("gives the objects of a class that only one of two has", async () => {
    await reading();
    await client.readHeapSnapshot("later.fxsnapshot");
    const { byClass = [] } = await client.getClassDiff(P, "later.fxsnapshot");
    const row = byClass.findIndex(({ name }) => name === "Array") + 1;
    expect(byClass[row - 1]).toMatchObject({ created: { count: 2 }, deleted: { count: 1 } });
    const members = async (side: "created" | "deleted", maxIndividuals: number) =>
      (await client.getClassMembers(P, "later.fxsnapshot", { row, side, maxIndividuals })).map(({ nodeId }) => nodeId);
    expect([await members("created", 9), await members("created", 1), await members("deleted", 9)]).toEqual([[81, 80], [81], [10]]);
  });

  it("says how far a question is, and gives up a job that is not wanted any more", async () => {
    await reading();
    const stages: string[] = [];
    await client.computeDominatorTree(P, { onProgress: ({ stage }) => void stages.push(stage) });
    expect(stages.length).toBeGreaterThan(0);
    const wanted = new AbortController();
    wanted.abort();
    await expect(client.getReport(P, { signal: wanted.signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});
