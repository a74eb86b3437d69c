// SPDX-License-Identifier: MIT
// The analyses of heaps, by the names that Firefox's HeapAnalysesClient gives them, asked of `ubiheap serve`. What the seed calls the
// path of a snapshot is here the id of a heap that is open on the server, such as "h1", or a path below one of its folders.
import { withRests } from "../logic/path_fold";
import { summaryOrder, type ClassNode, type ClassRow } from "../logic/summary_rows";
import type { Breakdown } from "../types/breakdown";
import type { Documents } from "../types/documents";
import type {
  Bytes,
  CensusPage,
  CensusRow,
  CensusTreeNode,
  DominatedGroup,
  DominatorTreeNode,
  DominatorWay,
  HeapPath,
  Label,
  NodeId,
  OpenHeap,
  PathGraph,
} from "../types/heap";
import { isAbort, ServerError } from "./errors";
import type { AskOptions, Http, Query } from "./http";
import type {
  ClassesOptions,
  ClassMembersOptions,
  DominatorTreeId,
  GroupOptions,
  LeaksOptions,
  RecordingOptions,
  TreeMapOptions,
} from "./options";

/** Steps of a path that are asked for: more than anybody shows one by one. The rest is counted. */
const PATH_STEPS = 1000;

export interface CensusOptions {
  breakdown?: Breakdown | string;
}

export interface TreeOptions {
  asTreeNode?: boolean;
  asInvertedTreeNode?: boolean;
  filter?: string | null;
}

/** Which rows of which tree; `sort` is "totalBytes", "-bytes" and so on, "" the tree's own order. */
export interface PageOptions {
  breakdown: Breakdown | string;
  inverted: boolean;
  filter: string | null;
  parent: number | null;
  offset: number;
  rows: number;
  sort: string;
}

export interface DominatorTreeOptions {
  dominatorTreeId: DominatorTreeId;
  breakdown: Breakdown | string;
  maxDepth?: number;
  maxSiblings?: number;
  /** null: none are attached; the seed's default is 5. */
  maxRetainingPaths?: number | null;
}

export interface DominatedOptions {
  dominatorTreeId: DominatorTreeId;
  nodeId: NodeId;
  breakdown: Breakdown | string;
  startIndex?: number;
  maxCount?: number;
  maxRetainingPaths?: number | null;
  /** From the root to the node, where the caller knows it: then it is not asked for, which takes long the first time. */
  path?: NodeId[];
}

export interface IndividualsOptions {
  dominatorTreeId: DominatorTreeId;
  indices: ReadonlySet<number>;
  censusBreakdown: Breakdown | string;
  maxIndividuals?: number;
  maxRetainingPaths?: number | null;
  /** What nodes are called; the labels of dominator trees by default. */
  labels?: Breakdown | string;
}

/** The nodes that retain most, and how many there are. */
export interface Individuals {
  nodes: DominatorTreeNode[];
  nodeCount: number;
  shallowSize: Bytes;
}

type Report = Documents["ubiheap.census/1"]["report"];
type WayStep = NonNullable<Documents["ubiheap.dominators/1"]["way"]>[number];
type DominatorRow = NonNullable<Documents["ubiheap.dominators/1"]["tree"]>;

/** A server that lives answers this at once, whatever else it does. */
const HEARTBEAT_MS = 8000;
const DEFAULT_RETAINING_PATHS = 5;
const DEFAULT_MAX_COUNT = 50;
/** Rows where all are wanted. */
const MOST_ROWS = 2 ** 31;

/** Smaller boxes, in square pixels, share one. */
const LEAST_AREA = 4;

/** The path of a snapshot's file below a folder of the server, by its id; null: it is no id, and leads nowhere. */
export function getHeapSnapshotTempFilePath(snapshotId: string): HeapPath | null {
  return /^\d+(-\d+)?$/.test(snapshotId) ? `${snapshotId}.fxsnapshot` : null;
}

const heapPath = (path: HeapPath) => `/api/1/heaps/${encodeURIComponent(path)}`;

const targetPath = (target: string) => `/api/1/targets/${encodeURIComponent(target)}`;

/** Children by the ids of their parents' rows, as the seed's getParentMap gives them. */
function parentMapOf(tree: CensusTreeNode): Record<number, CensusTreeNode> {
  const map: Record<number, CensusTreeNode> = {};
  for (const stack = [tree]; stack.length > 0; ) {
    const node = stack.pop() as CensusTreeNode;
    for (const child of node.children ?? []) {
      map[child.id] = node;
      stack.push(child);
    }
  }
  return map;
}

function nodeOfRow(row: DominatorRow): DominatorTreeNode {
  const { children, ...rest } = row;
  return { ...rest, label: rest.label as Label | null, ...(children ? { children: children.map(nodeOfRow) } : {}) };
}

/** The way from the root to a node: each with its place among its siblings, and the next one as its only child. */
function treeOfWay(way: WayStep[]): DominatorTreeNode | null {
  let below: DominatorTreeNode | null = null;
  for (const { index, shallowSizeBefore: shallowSize, retainedSizeBefore: retainedSize, ...row } of [...way].reverse()) {
    const node: DominatorTreeNode = { ...nodeOfRow(row as DominatorRow), place: { index, shallowSize, retainedSize } };
    below = below ? { ...node, children: [below] } : node;
  }
  return below;
}

/** Levels of a way that does not begin at the root. */
const DEEP_LEVELS = 100;

/** All of a way that begins at the root; else its last levels. */
function wayOf(way: WayStep[], above: number): DominatorWay | null {
  const left = above > 0 ? Math.max(0, way.length - DEEP_LEVELS) : 0;
  const top = treeOfWay(way.slice(left));
  return top && { top, levelsAbove: above + left };
}

function withEvery(tree: DominatorTreeNode, visit: (node: DominatorTreeNode) => void): void {
  for (const stack = [tree]; stack.length > 0; ) {
    const node = stack.pop() as DominatorTreeNode;
    visit(node);
    stack.push(...(node.children ?? []));
  }
}

/** What takeCensus throws for a breakdown that it cannot read is a TypeError with the engine's words. */
function asTypeError(error: unknown): unknown {
  return error instanceof ServerError && error.status === "wrongArgument" ? new TypeError(error.message) : error;
}

export class HeapAnalysesClient {
  /** Snapshots that were read, by the path that the caller knows them by; null when destroyed. */
  private snapshots: Map<HeapPath, HeapPath> | null = new Map();
  /** Of each tree that was ever computed, its snapshot; null: deleted with it. */
  private readonly dominatorTrees: ({ heap: HeapPath } | null)[] = [];

  constructor(private readonly http: Http) {}

  destroy(): void {
    this.snapshots = null;
  }

  private get known(): Map<HeapPath, HeapPath> {
    if (!this.snapshots) {
      throw new TypeError("the client was destroyed");
    }
    return this.snapshots;
  }

  private heap(path: HeapPath): HeapPath {
    const heap = this.known.get(path);
    if (heap === undefined) {
      throw new Error(`No known heap snapshot for '${path}'`);
    }
    return heap;
  }

  private ask<Schema extends keyof Documents>(heap: HeapPath, question: string, query: Query, options: AskOptions = {}) {
    const path = `${heapPath(heap)}/${question}`;
    return options.onProgress ? this.http.ask<Schema>(path, query, options) : this.http.get<Schema>(path, query, options);
  }

  // ---- what is open -----------------------------------------------------------------------------------------------------

  async listHeaps(): Promise<{ server: string; heaps: OpenHeap[] }> {
    return this.http.heartbeat<"ubiheap.heaps/1">("/api/1/heaps", HEARTBEAT_MS);
  }

  /** Sends a file to the server, which opens it. */
  importHeapSnapshot(file: Blob, name: string, options: AskOptions = {}): Promise<OpenHeap> {
    return this.http.upload(file, name, options);
  }

  /** Live heaps that the server can save. */
  async listTargets(): Promise<Documents["ubiheap.targets/1"]["targets"]> {
    return (await this.http.get<"ubiheap.targets/1">("/api/1/targets")).targets;
  }

  /** Saves a live heap on the server, which opens it. */
  async saveHeapSnapshot(target: string, name: string, options: AskOptions = {}): Promise<OpenHeap> {
    const job = await this.http.send<"ubiheap.job/1">("POST", `${targetPath(target)}/heaps`, null, { name, async: true });
    return this.http.finish<"ubiheap.heap/1">(job, options);
  }

  /** Switches the recording of allocation stacks, which snapshots then have. */
  recordAllocations(target: string, isOn: boolean, how: RecordingOptions): Promise<Documents["ubiheap.target/1"]> {
    return this.http.send<"ubiheap.target/1">("PUT", `${targetPath(target)}/recording`, isOn ? { isOn, ...how } : { isOn });
  }

  /** Whether a snapshot of this id is in a folder of the server. What is no id is nowhere: ids come from others. */
  async haveHeapSnapshotTempFile(snapshotId: string): Promise<boolean> {
    const path = getHeapSnapshotTempFilePath(snapshotId);
    const files = path === null ? [] : (await this.http.get<"ubiheap.files/1">("/api/1/files")).files;
    return files.some((file) => file.path === path);
  }

  /** Closes a heap of the server, whether it was read or not. */
  async deleteOpenHeap(heap: HeapPath): Promise<void> {
    this.known.delete(heap);
    await this.http.delete(heapPath(heap));
  }

  /** Opens the file of an open heap again, as it is now: it is another heap, in place of the one before. */
  async openHeapAgain(heap: HeapPath): Promise<OpenHeap> {
    const fresh = await this.http.send<"ubiheap.heap/1">("POST", "/api/1/heaps", { again: heap });
    this.known.delete(heap);
    return fresh;
  }

  /** Reads a snapshot; again, if it was read before. */
  async readHeapSnapshot(path: HeapPath, options: AskOptions = {}): Promise<true> {
    const known = this.known;
    try {
      const isOpen = /^h\d+$/.test(path);
      const heap = isOpen ? path : (await this.http.send<"ubiheap.heap/1">("POST", "/api/1/heaps", { path })).id;
      await this.ask<"ubiheap.info/1">(heap, "info", {}, options);
      known.set(path, heap);
      return true;
    } catch (error) {
      if (isAbort(error) || !(error instanceof ServerError)) {
        throw error;
      }
      // The worker fails with a text here, too.
      throw `Error while performing task "readHeapSnapshot": ${error.message}`;
    }
  }

  async deleteHeapSnapshot(path: HeapPath): Promise<void> {
    const heap = this.heap(path);
    this.known.delete(path);
    const first = this.dominatorTrees.findIndex((tree) => tree?.heap === heap);
    if (first >= 0) {
      this.dominatorTrees[first] = null;
    }
    const isUsed = this.dominatorTrees.some((tree) => tree?.heap === heap);
    if (!isUsed) {
      await this.http.delete(heapPath(heap));
    }
  }

  /** What is known of a snapshot as soon as it is read. */
  getInfo(path: HeapPath): Promise<Documents["ubiheap.info/1"]> {
    return this.ask<"ubiheap.info/1">(this.heap(path), "info", {});
  }

  /** Microseconds since 1970; null where the file does not say. */
  async getCreationTime(path: HeapPath): Promise<number | null> {
    return (await this.getInfo(path)).creationTimeUs;
  }

  /** What `report` says of a heap. */
  async getReport(path: HeapPath, options: AskOptions = {}): Promise<Documents["ubiheap.report/1"]> {
    return this.ask<"ubiheap.report/1">(this.heap(path), "report", { detail: true }, options);
  }

  // ---- censuses ------------------------------------------------------------------------------------------------------------

  async takeCensus(path: HeapPath, census: CensusOptions = {}, tree: TreeOptions = {}, options: AskOptions = {}) {
    const answer = await this.census<"ubiheap.census/1">(this.heap(path), "census", census, tree, {}, options);
    return tree.asTreeNode || tree.asInvertedTreeNode
      ? this.asTree(answer.tree as CensusTreeNode)
      : { report: answer.report as Report, parentMap: undefined };
  }

  async takeCensusDiff(first: HeapPath, second: HeapPath, census: CensusOptions, tree: TreeOptions = {}, options: AskOptions = {}) {
    const heaps = [this.heap(first), this.heap(second)] as const;
    const more = { with: heaps[1], by: "breakdown" };
    const answer = await this.census<"ubiheap.diff/1">(heaps[0], "diff", census, tree, more, options);
    if (!tree.asTreeNode && !tree.asInvertedTreeNode) {
      return { delta: answer.delta, parentMap: undefined };
    }
    const { report, parentMap } = this.asTree(answer.tree as CensusTreeNode);
    return { delta: report, parentMap };
  }

  private asTree(report: CensusTreeNode) {
    return { report, parentMap: parentMapOf(report) };
  }

  private async census<Schema extends keyof Documents>(
    heap: HeapPath,
    question: string,
    { breakdown }: CensusOptions,
    { asTreeNode, asInvertedTreeNode, filter }: TreeOptions,
    more: Query,
    options: AskOptions,
  ): Promise<Documents[Schema]> {
    const isTree = Boolean(asTreeNode || asInvertedTreeNode);
    if (isTree && !breakdown) {
      throw new TypeError("a tree needs a breakdown with all of its parts");
    }
    // A preset may be turned over by itself.
    const shape = isTree ? { tree: true, inverted: asInvertedTreeNode ? "true" : "false", filter: filter || null } : {};
    try {
      return await this.ask<Schema>(heap, question, { ...more, breakdown, ...shape }, options);
    } catch (error) {
      throw asTypeError(error);
    }
  }

  /** Some rows of a census tree: those of one parent, in an order. */
  getCensusRows(path: HeapPath, page: PageOptions, options: AskOptions = {}): Promise<CensusPage> {
    return this.rows(this.heap(path), "census", {}, page, options);
  }

  /** Some rows of the tree of what changed from the first to the second. */
  getCensusDiffRows(first: HeapPath, second: HeapPath, page: PageOptions, options: AskOptions = {}): Promise<CensusPage> {
    const heaps = [this.heap(first), this.heap(second)] as const;
    return this.rows(heaps[0], "diff", { with: heaps[1], by: "breakdown" }, page, options);
  }

  private async rows(heap: HeapPath, question: string, more: Query, page: PageOptions, options: AskOptions): Promise<CensusPage> {
    const { breakdown, inverted, filter, parent, offset, rows, sort } = page;
    const query = { ...more, breakdown, inverted: String(inverted), filter: filter || null, parent, offset, rows, order: sort || null };
    const answer = await this.ask<"ubiheap.census/1">(heap, question, query, options);
    const { parent: row, ...rest } = answer.page as NonNullable<Documents["ubiheap.census/1"]["page"]>;
    return { ...rest, parent: row.id, childCount: row.childCount };
  }

  /** Which classes have new, deleted and changed objects. */
  async getClassDiff(first: HeapPath, second: HeapPath, options: AskOptions = {}): Promise<Documents["ubiheap.diff/1"]> {
    return this.ask<"ubiheap.diff/1">(this.heap(first), "diff", { with: this.heap(second), by: "class" }, options);
  }

  /** Objects of one class that only the second has ("created"), or only the first ("deleted"): those that retain most. */
  async getClassMembers(
    first: HeapPath,
    second: HeapPath,
    of: ClassMembersOptions,
    options: AskOptions = {},
  ): Promise<DominatorTreeNode[]> {
    const query = { with: this.heap(second), by: "class", individuals: of.row, side: of.side, rows: of.maxIndividuals };
    const { nodes } = await this.ask<"ubiheap.diff/1">(this.heap(first), "diff", query, options);
    return (nodes?.rows ?? []).map((row) => nodeOfRow(row));
  }

  /** What a program holds on to between several snapshots, which stand in the order in which they were taken. */
  getLeaks(paths: readonly HeapPath[], question: LeaksOptions, options: AskOptions = {}): Promise<Documents["ubiheap.leaks/1"]> {
    const [first = "", ...others] = paths.map((path) => this.heap(path));
    return this.ask<"ubiheap.leaks/1">(first, "leaks", { with: others.join(","), ...question }, options);
  }

  /** The boxes of a tree map of this size, in pixels. */
  getTreeMap(path: HeapPath, map: TreeMapOptions, options: AskOptions = {}): Promise<Documents["ubiheap.treemap/1"]> {
    return this.ask<"ubiheap.treemap/1">(this.heap(path), "treemap", { format: "json", leastArea: LEAST_AREA, ...map }, options);
  }

  /** One row of a census tree that is not turned over, by its id. */
  async getCensusRow(path: HeapPath, breakdown: Breakdown | string, row: number): Promise<CensusRow> {
    const query = { breakdown, inverted: "false", parent: row, rows: 1 };
    const answer = await this.ask<"ubiheap.census/1">(this.heap(path), "census", query);
    return (answer.page as NonNullable<typeof answer.page>).parent as CensusRow;
  }

  /** The way through a breakdown to one node; null: it counts the node nowhere. */
  async getLabel(path: HeapPath, node: NodeId, breakdown: Breakdown | string): Promise<Label | null> {
    const { tree } = await this.ask<"ubiheap.dominators/1">(this.heap(path), "dominators", { node, depth: 1, breakdown });
    return (tree?.label ?? null) as Label | null;
  }

  // ---- dominator trees --------------------------------------------------------------------------------------------------------

  async computeDominatorTree(path: HeapPath, options: AskOptions = {}): Promise<DominatorTreeId> {
    const heap = this.heap(path);
    await this.ask<"ubiheap.dominators/1">(heap, "dominators", { depth: 1 }, options);
    this.dominatorTrees.push({ heap });
    return this.dominatorTrees.length - 1;
  }

  private heapOfTree(id: DominatorTreeId): HeapPath {
    if (!Number.isInteger(id) || id < 0 || id >= this.dominatorTrees.length) {
      throw new Error(`There does not exist a DominatorTree with the id ${id}`);
    }
    const tree = this.dominatorTrees[id];
    if (!tree) {
      throw new TypeError(`can't access property "root", dominatorTree is undefined`);
    }
    return tree.heap;
  }

  async getDominatorTree(tree: DominatorTreeOptions, options: AskOptions = {}): Promise<DominatorTreeNode> {
    const heap = this.heapOfTree(tree.dominatorTreeId);
    const query = { depth: tree.maxDepth, siblings: tree.maxSiblings, breakdown: tree.breakdown };
    const answer = await this.ask<"ubiheap.dominators/1">(heap, "dominators", query, options);
    const root = nodeOfRow(answer.tree as DominatorRow);
    await this.pathsAttach(heap, root, tree.maxRetainingPaths);
    return root;
  }

  /** Nodes that one dominates immediately, from `startIndex` on; `path` leads from the root to that one. */
  async getImmediatelyDominated(of: DominatedOptions, options: AskOptions = {}) {
    const heap = this.heapOfTree(of.dominatorTreeId);
    const start = of.startIndex || 0;
    const count = of.maxCount || DEFAULT_MAX_COUNT;
    const query = { node: of.nodeId, depth: 2, siblings: count, offset: start, breakdown: of.breakdown };
    const [answer, path] = await Promise.all([
      this.ask<"ubiheap.dominators/1">(heap, "dominators", query, options).catch((error: unknown) => {
        throw error instanceof ServerError && error.code === 404 ? new Error(`${of.nodeId} is not a node id in the dominator tree`) : error;
      }),
      of.path ?? this.getDominators(heap, of.nodeId),
    ]);
    const parent = nodeOfRow(answer.tree as DominatorRow);
    const nodes = parent.children ?? [];
    if (nodes.length === 0) {
      throw new Error(`${of.nodeId} dominates nothing from index ${start} on`);
    }
    await this.pathsAttach(heap, { ...parent, children: nodes }, of.maxRetainingPaths);
    return { nodes, moreChildrenAvailable: parent.moreChildrenAvailable, path };
  }

  /** Ids from the root to the node. */
  private async getDominators(heap: HeapPath, node: NodeId): Promise<NodeId[]> {
    const answer = await this.ask<"ubiheap.retainers/1">(heap, "retainers", { node, depth: 1, limit: 1 }).catch(() => null);
    return answer ? [node, ...answer.dominators.map((dominator) => dominator.nodeId)].reverse() : [];
  }

  /** The way from the root down to a node, as a tree of which each node has one child; null: nothing dominates it. */
  async getDominatorWay(dominatorTreeId: DominatorTreeId, node: NodeId, breakdown: Breakdown | string): Promise<DominatorWay | null> {
    const query = { node, depth: 1, way: true, breakdown };
    const answer = await this.ask<"ubiheap.dominators/1">(this.heapOfTree(dominatorTreeId), "dominators", query);
    const { way = [], countAboveWay = 0, rootId } = answer;
    return way[0]?.nodeId === rootId || countAboveWay > 0 ? wayOf(way, countAboveWay) : null;
  }

  /**
   * The way down to the next node after one, depth first, where what is retained drops: whose largest child has less than half of it. null:
   * there is none. @param after  null: the root.
   */
  async getNextDrop(dominatorTreeId: DominatorTreeId, after: NodeId | null, breakdown: Breakdown | string): Promise<DominatorWay | null> {
    const query = { node: after, depth: 1, way: true, nextDrop: true, breakdown };
    const answer = await this.ask<"ubiheap.dominators/1">(this.heapOfTree(dominatorTreeId), "dominators", query);
    return answer.hasDrop ? wayOf(answer.way ?? [], answer.countAboveWay ?? 0) : null;
  }

  /** What a node dominates immediately, by class, at most `most` groups; and how many there are. */
  async getDominatedGroups(
    dominatorTreeId: DominatorTreeId,
    node: NodeId,
    most: number,
  ): Promise<{ groups: DominatedGroup[]; groupCount: number }> {
    const query = { node, by: "class", siblings: most };
    const answer = await this.ask<"ubiheap.dominators/1">(this.heapOfTree(dominatorTreeId), "dominators", query);
    return { groups: answer.groups ?? [], groupCount: answer.groupCount ?? 0 };
  }

  /** Some nodes of one group, those first that retain most. */
  async getGroupMembers(of: GroupOptions): Promise<DominatorTreeNode[]> {
    const query = { node: of.like, likes: true, siblings: of.maxCount, offset: of.startIndex, breakdown: of.breakdown };
    const answer = await this.ask<"ubiheap.dominators/1">(this.heapOfTree(of.dominatorTreeId), "dominators", query);
    return (answer.likes?.rows ?? []).map(nodeOfRow);
  }

  /** Some classes of a heap, as its engine's own tools make classes, and how many there are. */
  async getClasses(path: HeapPath, { filter, sort, offset, rows }: ClassesOptions, options: AskOptions = {}) {
    const query = { matching: filter || null, offset, limit: rows, ...summaryOrder(sort) };
    const answer = await this.ask<"ubiheap.summary/1">(this.heap(path), "summary", query, options);
    const { classes, classCount, totalSize, matchCount: count = classCount } = answer;
    return { offset, count, totalSize, classCount, rows: classes };
  }

  /** The first nodes of one class: those that retain most. */
  async getClassNodes(path: HeapPath, { name, place }: ClassRow, most: number): Promise<ClassNode[]> {
    const { classes } = await this.ask<"ubiheap.summary/1">(this.heap(path), "summary", { class: name, limit: most });
    return classes.find((one) => one.place === place)?.nodes ?? [];
  }

  /** The nodes of a class, as the engine's own tools make classes: those that retain most, and how many there are. */
  async getClassObjects(path: HeapPath, className: string, most: number): Promise<Individuals> {
    const { classes } = await this.ask<"ubiheap.summary/1">(this.heap(path), "summary", { class: className, limit: most });
    if (classes.length === 0) {
      throw new Error(`This snapshot has no objects of a class “${className}”.`);
    }
    // Classes of one name may be defined in several places.
    const nodes = classes.flatMap(({ nodes: own = [] }) => own);
    nodes.sort((a, b) => b.retainedSize - a.retainedSize);
    return {
      nodes: nodes.slice(0, most).map(({ id, name, selfSize, retainedSize }) => {
        return { nodeId: id, label: [name || className], shallowSize: selfSize, retainedSize, moreChildrenAvailable: false };
      }),
      nodeCount: classes.reduce((sum, { count }) => sum + count, 0),
      shallowSize: classes.reduce((sum, { selfSize }) => sum + selfSize, 0),
    };
  }

  /** The individual nodes that some parts of a census counted: those that retain most, and how many there are. */
  async getCensusIndividuals(of: IndividualsOptions, options: AskOptions = {}): Promise<Individuals> {
    const heap = this.heapOfTree(of.dominatorTreeId);
    const rows = of.maxIndividuals ?? MOST_ROWS;
    const query = { breakdown: of.censusBreakdown, individuals: [...of.indices].join(","), rows, labels: of.labels };
    const answer = of.indices.size > 0 ? await this.ask<"ubiheap.census/1">(heap, "census", query, options) : null;
    const { nodeCount = 0, shallowSize = 0, rows: listed = [] } = answer?.nodes ?? {};
    if (nodeCount === 0) {
      throw new Error("no node is in these parts of the census");
    }
    const nodes = listed.map((row) => nodeOfRow(row));
    if (of.maxRetainingPaths !== null) {
      const paths = await this.getRetainingPaths(
        heap,
        nodes.map((node) => node.nodeId),
        of.maxRetainingPaths,
      );
      nodes.forEach((node, index) => (node.shortestPaths = paths[index] as PathGraph));
    }
    return { nodes, nodeCount, shallowSize };
  }

  // ---- single nodes -------------------------------------------------------------------------------------------------------------

  private async pathsAttach(heap: HeapPath, tree: DominatorTreeNode, most: number | null | undefined): Promise<void> {
    if (most === null) {
      return;
    }
    const nodes: DominatorTreeNode[] = [];
    withEvery(tree, (node) => nodes.push(node));
    const paths = await this.getRetainingPaths(
      heap,
      nodes.map((node) => node.nodeId),
      most,
    );
    nodes.forEach((node, index) => (node.shortestPaths = paths[index] as PathGraph));
  }

  /** The shortest paths from the root to each node, as one graph for each. */
  private async getRetainingPaths(heap: HeapPath, nodes: NodeId[], most = DEFAULT_RETAINING_PATHS): Promise<PathGraph[]> {
    const answer = await this.http.send<"ubiheap.paths/1">("POST", `${heapPath(heap)}/paths`, { nodes, maxPaths: most, steps: PATH_STEPS });
    return answer.targets.map(({ deduplicated, titles }) =>
      withRests(
        deduplicated.nodes.map((id, index) => ({ id, name: titles[index] ?? "" })),
        deduplicated.edges,
      ),
    );
  }

  /** Why a node is alive: its shortest paths as a graph. */
  async getShortestPaths(path: HeapPath, node: NodeId, most: number): Promise<PathGraph> {
    return (await this.getRetainingPaths(this.heap(path), [node], most))[0] as PathGraph;
  }

  /** All that is known about one node, with up to `limit` references each way. */
  getNode(path: HeapPath, node: NodeId, limit: number, options: AskOptions = {}): Promise<Documents["ubiheap.node/1"]> {
    return this.ask<"ubiheap.node/1">(this.heap(path), "show", { node, limit }, options);
  }

  /** A recording or a timeline in a format that other tools read. */
  getExport(path: HeapPath, question: "export" | "timeline", format: string): Promise<Blob> {
    return this.http.file(`${heapPath(path)}/${question}`, { format }, { format: "page" });
  }

  /** What the command prints. */
  getPage(path: HeapPath, question: string, query: Query, options: AskOptions = {}): Promise<string> {
    return this.http.text(`${heapPath(path)}/${question}`, { ...query, format: "page" }, options);
  }
}
