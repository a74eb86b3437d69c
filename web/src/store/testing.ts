// SPDX-License-Identifier: MIT
// For tests of the store: a client whose answers are made here, and wait until the test lets them go.
import type { HeapAnalysesClient, PageOptions } from "../api/HeapAnalysesClient";
import type { ClassRow } from "../logic/summary_rows";
import type { CensusRow, DominatorTreeNode, LiveTarget, OpenHeap } from "../types/heap";
import { makeStore, type State, type Store } from ".";
import { selectedSnapshot } from "./selectors";

const row = (id: number, name: string, bytes: number): CensusRow => ({
  ...{ id, name, bytes, totalBytes: bytes, count: 1, totalCount: 1, childCount: 0, reportLeafIndex: id - 1 },
});

export const ROOT: DominatorTreeNode = {
  ...{ nodeId: 1, label: ["other", "root"], shallowSize: 1, retainedSize: 100, moreChildrenAvailable: true },
  children: [
    { nodeId: 2, label: ["objects", "Array"], shallowSize: 10, retainedSize: 60, moreChildrenAvailable: true, parentId: 1 },
    { nodeId: 3, label: ["objects", "Map"], shallowSize: 10, retainedSize: 20, moreChildrenAvailable: false, parentId: 1 },
  ],
};

/** What was asked, in order; and a gate for each question that a test closes. */
export class FakeClient {
  readonly asked: string[] = [];
  readonly heaps: OpenHeap[] = [];
  targets: LiveTarget[] = [];
  failing = new Map<string, string>();
  private gates = new Map<string, Promise<void>>();

  /** From now on the question waits; the result lets it go. */
  hold(question: string): () => void {
    let release = () => {};
    this.gates.set(question, new Promise((resolve) => (release = resolve)));
    return () => {
      this.gates.delete(question);
      release();
    };
  }

  private async answer<T>(question: string, value: T): Promise<T> {
    this.asked.push(question);
    await this.gates.get(question);
    const error = this.failing.get(question);
    if (error) {
      throw Object.assign(new Error(error), error === "AbortError" ? { name: error } : {});
    }
    return value;
  }

  /** Whether its snapshots are of one process. */
  isOneProcess = true;
  server = "one";
  listHeaps = () => this.answer("list", { server: this.server, heaps: this.heaps });
  importHeapSnapshot = (_file: Blob, name: string) => this.answer("import", this.open(name));
  saveHeapSnapshot = (_target: string, name: string) => this.answer("save", this.open(name));
  listTargets = () => this.answer("targets", this.targets);
  recordAllocations = (id: string, isOn: boolean, how: { probability: number; maxLogLength: number }) => {
    const target = { id, recording: { isOn, ...how } } as LiveTarget;
    this.targets = [target, ...this.targets.filter((one) => one.id !== id)];
    return this.answer("record", target);
  };
  openHeapAgain = (path: string) => {
    const name = this.heaps.find(({ id }) => id === path)?.name ?? "";
    return this.answer(`again ${path}`, null).then(() => {
      const fresh = { ...this.open(name), id: "h3" };
      this.heaps.splice(0, this.heaps.length, fresh, ...this.heaps.filter((one) => one.id !== path && one.name !== name));
      return fresh;
    });
  };
  deleteOpenHeap = (path: string) => this.answer(`delete ${path}`, undefined);
  readHeapSnapshot = () => this.answer("read", true as const);
  getInfo = () => this.answer("info", { creationTimeUs: 1_700_000_000_123_456 });
  getReport = () => this.answer("report", { schema: "ubiheap.report/1", reachable: { bytes: 1_234_567, count: 3 } });
  getTreeMap = () => this.answer("tree map", { width: 1200, height: 700, boxes: [{ bytes: 1_234_567, count: 3 }] });
  computeDominatorTree = () => this.answer("compute", 0);
  getDominatorTree = () => this.answer("tree", ROOT);
  getShortestPaths = () => this.answer("paths", { nodes: [], edges: [] });

  getCensusRows = (_path: string, { filter, parent, offset }: PageOptions) => {
    const rows = [row(2, "js::Shape", 300), row(3, "Array", 200)].filter(({ name }) => String(name).includes(filter ?? ""));
    const page = { parent: parent ?? 1, offset, childCount: rows.length, totalBytes: 500, totalCount: 2, rows };
    return this.answer("census", page);
  };
  getCensusDiffRows = (_first: string, _second: string, options: PageOptions) => {
    return this.getCensusRows("", options).then((page) => this.answer("diff", page));
  };
  getClassDiff = () => {
    const tally = (count: number) => ({ count, bytes: count * 10 });
    const change = { coarseType: "Object", name: "Point", old: tally(3), new: tally(5), created: tally(4), deleted: tally(2) };
    const same = { ...change, name: "Array", new: tally(3), created: tally(0), deleted: tally(0) };
    return this.answer("class diff", { byClass: [change, same], sameProcess: this.isOneProcess });
  };
  getClassMembers = (_first: string, _second: string, { row, side }: { row: number; side: string }) => {
    return this.answer(`members ${row} ${side}`, [ROOT.children?.[0] as DominatorTreeNode]);
  };
  /** Files in a report of leaks, in its order. */
  leaksOf: string[] = [];
  getLeaks = () => this.answer("leaks", { schema: "ubiheap.leaks/1", heaps: this.leaksOf.map((file) => ({ file })) });
  getImmediatelyDominated = ({ nodeId }: { nodeId: number }) => {
    const nodes = [{ nodeId: nodeId * 10, label: ["objects"], shallowSize: 1, retainedSize: 1, moreChildrenAvailable: false }];
    return this.answer(`dominated ${nodeId}`, { nodes, moreChildrenAvailable: false, path: [1, nodeId] });
  };
  getCensusIndividuals = () =>
    this.answer("individuals", { nodes: [ROOT.children?.[0] as DominatorTreeNode], nodeCount: 3, shallowSize: 40 });
  getNode = (_path: string, nodeId: number) => this.answer(`node ${nodeId}`, { schema: "ubiheap.node/1", nodeId });
  getClassObjects = (_path: string, className: string, most: number) =>
    this.answer(`objects of ${className} ${most}`, { nodes: [ROOT.children?.[0] as DominatorTreeNode], nodeCount: 7, shallowSize: 70 });
  levelsAbove = 0;
  /** Of node 999: the 501st of the 1000 that node 3 dominates, which is unknown so far. */
  getDominatorWay = (_tree: number, node: number) => {
    const of = (nodeId: number, retainedSize: number, childCount: number, index: number, before: number): DominatorTreeNode => ({
      ...{ nodeId, label: ["objects"], shallowSize: 1, retainedSize, moreChildrenAvailable: childCount > 0, childCount },
      ...{ childShallowSize: childCount, childRetainedSize: retainedSize - 1 },
      place: { index, shallowSize: index, retainedSize: before },
    });
    const way = { ...of(1, 100, 3, 0, 0), children: [{ ...of(3, 20, 1000, 1, 60), children: [of(999, 0.01, 0, 500, 18)] }] };
    return this.answer("way", node === 999 ? { top: way, levelsAbove: this.levelsAbove } : null);
  };
  /** 150 classes, each of 1000 nodes. */
  getClasses = (_path: string, { filter, sort, offset, rows }: { filter: string | null; sort: string; offset: number; rows: number }) => {
    const of = (at: number): ClassRow => {
      return { name: `Class${at}`, place: "", count: 1000, distance: 1, unreachedCount: 0, selfSize: 1, retainedSize: 2, exampleId: at };
    };
    const all = Array.from({ length: 150 }, (_, at) => of(at)).filter(({ name }) => name.includes(filter ?? ""));
    const page = { offset, count: all.length, totalSize: 500, classCount: 150, rows: all.slice(offset, offset + rows) };
    return this.answer(`classes ${sort} ${offset} ${filter ?? ""}`, page);
  };
  getClassNodes = (_path: string, { name }: ClassRow, most: number) => {
    const nodes = Array.from({ length: Math.min(most, 1000) }, (_, id) => ({ id, name: "", distance: 1, selfSize: 1, retainedSize: 1 }));
    return this.answer(`objects of ${name}`, nodes);
  };
  /** Of the nodes that come, 999 is the only drop. */
  getNextDrop = (tree: number, after: number | null) => this.getDominatorWay(tree, after === 999 ? 0 : 999);
  getDominatedGroups = (_tree: number, node: number, most: number) => {
    const group = (className: string, largestNodeId: number, count: number) => ({
      ...{ coarseType: "Object", className, count, shallowSize: count, retainedSize: 10 * count, largestNodeId },
    });
    const groups = [group("Array", 2, 7), group("Map", 3, 1), group("Set", 4, 1)];
    return this.answer(`groups ${node}`, { groups: groups.slice(0, Math.min(most, 2)), groupCount: 3 });
  };
  getGroupMembers = ({ like, startIndex }: { like: number; startIndex: number }) => {
    const nodes = [0, 1, 2].map((at) => ({ ...(ROOT.children?.[0] as DominatorTreeNode), nodeId: like * 100 + startIndex + at }));
    return this.answer(`members ${like} ${startIndex}`, nodes);
  };

  open(name: string): OpenHeap {
    const id = `h${this.heaps.length + 1}`;
    const heap: OpenHeap = { ...{ id, name, kind: "heap", origin: "uploaded", size: 10, self: "", file: "" }, what: "a heap" };
    this.heaps.push(heap);
    return heap;
  }
}

export interface Bench {
  client: FakeClient;
  store: Store;
  /** Types of all actions so far. */
  actions: string[];
  state(): State;
  selected(): NonNullable<ReturnType<typeof selectedSnapshot>>;
}

/** A store with a client of these heaps. */
export function bench(...names: string[]): Bench {
  const client = new FakeClient();
  names.forEach((name) => client.open(name));
  const actions: string[] = [];
  const store = makeStore(client as unknown as HeapAnalysesClient, {}, (type) => actions.push(type));
  const state = () => store.getState();
  return { client, store, actions, state, selected: () => selectedSnapshot(state()) as never };
}

/** Until all that is pending has been done. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
