// SPDX-License-Identifier: MIT
// What the page knows, and the states that each model goes through.
import type { ClassChange, ClassSide } from "../logic/class_diff";
import type { ClassTree } from "../logic/dominator_rows";
import type { RowTree } from "../logic/rows";
import type { ClassList } from "../logic/summary_rows";
import type { Breakdown, CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";
import type { Documents } from "../types/documents";
import type { Bytes, CensusPage, DominatorTreeNode, DominatorWay, HeapKind, HeapPath, NodeId, PathGraph, RowId } from "../types/heap";

/** A number that this page gave to a snapshot. */
export type SnapshotId = number;

/**
 *     SAVING -> SAVED -> READING -> READ
 *                     ↗
 *         IMPORTING ---
 *
 * Any of them may go to ERROR, which nothing leaves. A heap that was open before the page was begins in SAVED; an imported file is sent
 * in IMPORTING.
 */
export const SNAPSHOT = {
  SAVING: "snapshot-state-saving",
  SAVED: "snapshot-state-saved",
  IMPORTING: "snapshot-state-importing",
  READING: "snapshot-state-reading",
  READ: "snapshot-state-read",
  ERROR: "snapshot-state-error",
} as const;
export type SnapshotState = (typeof SNAPSHOT)[keyof typeof SNAPSHOT];

/** SAVING <-> SAVED; SAVING -> ERROR, and from there again SAVING. */
export const CENSUS = { SAVING: "census-state-saving", SAVED: "census-state-saved", ERROR: "census-state-error" } as const;
export type CensusState = (typeof CENSUS)[keyof typeof CENSUS];

/** As a census. */
export const TREE_MAP = { SAVING: "tree-map-state-saving", SAVED: "tree-map-state-saved", ERROR: "tree-map-state-error" } as const;
export type TreeMapState = (typeof TREE_MAP)[keyof typeof TREE_MAP];

/** As a census: what `report` says. */
export const REPORT = { SAVING: "report-state-saving", SAVED: "report-state-saved", ERROR: "report-state-error" } as const;
export type ReportState = (typeof REPORT)[keyof typeof REPORT];

/** As a census: the list of classes. */
export const SUMMARY = { SAVING: "summary-state-saving", SAVED: "summary-state-saved", ERROR: "summary-state-error" } as const;
export type SummaryState = (typeof SUMMARY)[keyof typeof SUMMARY];

/** SELECTING -> TAKING_DIFF <-> TOOK_DIFF; any of them -> ERROR. */
export const DIFFING = {
  SELECTING: "diffing-state-selecting",
  TAKING_DIFF: "diffing-state-taking-diff",
  TOOK_DIFF: "diffing-state-took-diff",
  ERROR: "diffing-state-error",
} as const;
export type DiffingState = (typeof DIFFING)[keyof typeof DIFFING];

/**
 *     COMPUTING -> COMPUTED -> FETCHING -> LOADED <-> INCREMENTAL_FETCHING
 *                                  ↖_________/  other labels
 *
 * Any of them may go to ERROR, which nothing leaves.
 */
export const DOMINATORS = {
  COMPUTING: "dominator-tree-state-computing",
  COMPUTED: "dominator-tree-state-computed",
  FETCHING: "dominator-tree-state-fetching",
  LOADED: "dominator-tree-state-loaded",
  INCREMENTAL_FETCHING: "dominator-tree-state-incremental-fetching",
  ERROR: "dominator-tree-state-error",
} as const;
export type DominatorsState = (typeof DOMINATORS)[keyof typeof DOMINATORS];

/** COMPUTING_DOMINATOR_TREE -> FETCHING <-> FETCHED; any of them -> ERROR -> FETCHING. */
export const INDIVIDUALS = {
  COMPUTING_DOMINATOR_TREE: "individuals-state-computing-dominator-tree",
  FETCHING: "individuals-state-fetching",
  FETCHED: "individuals-state-fetched",
  ERROR: "individuals-state-error",
} as const;
export type IndividualsState = (typeof INDIVIDUALS)[keyof typeof INDIVIDUALS];

/** SELECTING -> FINDING -> FOUND -> FINDING; FINDING -> ERROR, and from there again FINDING. Another choice of snapshots is SELECTING. */
export const LEAKS = {
  SELECTING: "leaks-state-selecting",
  FINDING: "leaks-state-finding",
  FOUND: "leaks-state-found",
  ERROR: "leaks-state-error",
} as const;
export type LeaksState = (typeof LEAKS)[keyof typeof LEAKS];

/** Any view may follow any other; INDIVIDUALS goes back to the one before. */
export const VIEW = {
  START: "view-state-start",
  TREE_MAP: "view-state-tree-map",
  CENSUS: "view-state-census",
  SUMMARY: "view-state-summary",
  DOMINATOR_TREE: "view-state-dominator-tree",
  DIFFING: "view-state-diffing",
  LEAKS: "view-state-leaks",
  INDIVIDUALS: "view-state-individuals",
  OBJECT: "view-state-object",
  SETTINGS: "view-state-settings",
} as const;
export type ViewState = (typeof VIEW)[keyof typeof VIEW];

/**
 * LOADING -> READY <-> LOST, when the server does not answer. REFUSED, when another one does, which has another token; REPLACED, when that
 * one knows the token: its heaps are others, and the page has to be loaded again.
 */
export const CONNECTION = { LOADING: "loading", READY: "ready", LOST: "lost", REFUSED: "refused", REPLACED: "replaced" } as const;
export type ConnectionState = (typeof CONNECTION)[keyof typeof CONNECTION];

/** "-totalBytes", "name" and so on; "" the tree's own order. */
export type Sort = string;

export interface CensusModel {
  state: CensusState;
  /** null while it is being saved. */
  report: RowTree | null;
  display: CensusDisplay;
  filter: string | null;
  sort: Sort;
  expanded: ReadonlySet<RowId>;
  focused: RowId | null;
  error: string | null;
}

export interface TreeMapModel {
  state: TreeMapState;
  /** Its boxes get more in them as one zooms in. */
  report: Documents["ubiheap.treemap/1"] | null;
  /** The object whose box is looked for, and the names of the boxes around it. */
  sought: { nodeId: NodeId; way: string[] } | null;
  /** Which part of it is seen, as zoom.ts writes it; "": all. */
  zoom: string;
  display: TreeMapDisplay;
  error: string | null;
}

/** Which classes are listed, in which order. */
export interface SummaryWanted {
  filter: string | null;
  sort: Sort;
}

export interface SummaryModel extends SummaryWanted, ClassList {
  state: SummaryState;
  /** Bytes of the whole heap, which shares are of. */
  totalSize: Bytes;
  /** All classes, whatever the filter. */
  classCount: number;
  /** The row that is focused, and its node, if it is one. */
  focused: { key: string; nodeId: NodeId | null } | null;
  error: string | null;
}

export interface ReportModel {
  state: ReportState;
  report: Documents["ubiheap.report/1"] | null;
  /** Of what has no such document: what the command prints. */
  text: string | null;
  error: string | null;
}

export interface DominatorTreeModel {
  state: DominatorsState;
  dominatorTreeId: number | null;
  root: DominatorTreeNode | null;
  /** What is shown instead of all, where a node far below the root is looked at; its root is so many levels below that of all. */
  deep: DominatorWay | null;
  expanded: ReadonlySet<NodeId>;
  /** What is shown when children are grouped by class. */
  byClass: ClassTree;
  focused: DominatorTreeNode | null;
  /** The key of the focused row, which need not be a node. */
  focusedRow: string | null;
  display: LabelDisplay | null;
  activeFetchRequestCount: number;
  error: string | null;
}

/** How what a node dominates is listed. */
export type Grouping = "node" | "class";

export interface Progress {
  stage: string;
  fraction?: number;
}

export interface Snapshot {
  id: SnapshotId;
  state: SnapshotState;
  /** Of the heap on the server; null until it is there. */
  path: HeapPath | null;
  name: string;
  kind: HeapKind;
  /** What such files are called. */
  what: string | null;
  /** Bytes of the file. */
  size: Bytes;
  imported: boolean;
  selected: boolean;
  creationTime: number | null;
  /** Of a heap that is read. */
  info: Documents["ubiheap.info/1"] | null;
  report: ReportModel | null;
  census: CensusModel | null;
  summary: SummaryModel | null;
  treeMap: TreeMapModel | null;
  dominatorTree: DominatorTreeModel | null;
  progress: Progress | null;
  error: string | null;
}

/** Objects of a class that only one of the snapshots has: they are on their way while there are neither nodes nor error. */
/** Which objects of which class are looked at. */
export interface ClassChoice {
  key: string;
  side: ClassSide;
}

export interface ClassMembersModel extends ClassChoice {
  nodes: DominatorTreeNode[] | null;
  focused: NodeId | null;
  error: string | null;
}

/** The difference by class: it is on its way while there are neither rows nor error. */
export interface ClassDiffModel {
  rows: ClassChange[] | null;
  /** Whether the two look like snapshots of one process; if not, what came and went says nothing. */
  isOneProcess: boolean;
  /** It is shown of different processes, too. */
  allowsOtherProcess: boolean;
  sort: Sort;
  /** The class whose objects are shown; null: none is. */
  members: ClassMembersModel | null;
  error: string | null;
}

export interface DiffingModel {
  state: DiffingState;
  firstSnapshotId: SnapshotId | null;
  secondSnapshotId: SnapshotId | null;
  census: CensusModel | null;
  /** null: groups are shown, not classes. */
  byClass: ClassDiffModel | null;
  error: string | null;
}

export interface LeaksModel {
  state: LeaksState;
  /** In the order in which they were taken, as far as that is known. */
  ids: readonly SnapshotId[];
  /** Files of several processes are compared, too. */
  allowsOtherProcess: boolean;
  report: Documents["ubiheap.leaks/1"] | null;
  progress: Progress | null;
  error: string | null;
}

/** Whose objects are listed: those that parts of a census counted, or those of a class, as its engine's own tools make classes. */
export type IndividualsOf = { censusBreakdown: Breakdown; indices: ReadonlySet<number> } | { className: string };

export interface IndividualsModel {
  state: IndividualsState;
  id: SnapshotId | null;
  of: IndividualsOf | null;
  /** Those that retain most. */
  nodes: DominatorTreeNode[];
  /** All that there are, and what these take. */
  nodeCount: number;
  shallowSize: Bytes;
  labelDisplay: LabelDisplay | null;
  focused: DominatorTreeNode | null;
  error: string | null;
}

export interface PreviousView {
  state: ViewState;
  selected: SnapshotId | null;
  diffing: DiffingModel | null;
}

export interface ViewModel {
  state: ViewState;
  /** Only of INDIVIDUALS. */
  previous: PreviousView | null;
}

/** One object's page. LOADING -> LOADED; LOADING -> ERROR. */
export interface ObjectModel {
  id: SnapshotId;
  nodeId: NodeId;
  state: "object-state-loading" | "object-state-loaded" | "object-state-error";
  node: Documents["ubiheap.node/1"] | null;
  error: string | null;
}

/** Retaining paths of one node: they are on their way while there are neither graph nor error. */
export interface PathsModel {
  id: SnapshotId;
  nodeId: NodeId;
  graph: PathGraph | null;
  error: string | null;
}

/** Whether a live heap records allocation stacks, whether that is being switched, and how it is to be done. */
export interface AllocationsModel {
  recording: boolean;
  togglingInProgress: boolean;
  /** Of an object to get a stack: above 0, to 1. */
  probability: number;
  maxLogLength: number;
}

/** Every object gets its stack. The log of allocations is not read by this page. */
export const ALL_SITES: AllocationsModel = { recording: false, togglingInProgress: false, probability: 1, maxLogLength: 1 };

export interface Preferences {
  theme: "system" | "light" | "dark";
  /** Of sizes in tables: all digits, or three of them with a unit. */
  units: "bytes" | "binary";
  maxRetainingPaths: number;
  maxIndividuals: number;
  /** Name to display, as JSON. */
  customCensusDisplays: string;
  customLabelDisplays: string;
  customTreeMapDisplays: string;
  /** Columns of the census. */
  percentages: boolean;
}

/** What a display of one's own gives: it is on its way while there are neither rows nor error. */
export interface TrialModel {
  /** What is tried. */
  key: string;
  id: SnapshotId;
  page: CensusPage | null;
  error: string | null;
}

export const isRead = (snapshot: Snapshot) => snapshot.state === SNAPSHOT.READ;

/** Whether it is a heap that is open on the server, read or not. */
export function isCountable({ kind, path, state }: Snapshot): boolean {
  return kind === "heap" && path !== null && state !== SNAPSHOT.ERROR;
}

/** Whether a diff may be of it: what it is must not change any more. */
export function isDiffable(snapshot: Snapshot): boolean {
  return snapshot.kind === "heap" && (snapshot.state === SNAPSHOT.SAVED || snapshot.state === SNAPSHOT.READ);
}

/** Whether it goes when the list is cleared: what is being saved or read stays. */
export function isClearable({ state }: Snapshot): boolean {
  return state === SNAPSHOT.ERROR || state === SNAPSHOT.READ;
}

let lastId = 0;

/** Begins in SAVING, with everything null or false. */
export function newSnapshot(): Snapshot {
  return {
    id: ++lastId,
    state: SNAPSHOT.SAVING,
    path: null,
    name: "",
    kind: "heap",
    what: null,
    size: 0,
    imported: false,
    selected: false,
    creationTime: null,
    info: null,
    report: null,
    census: null,
    summary: null,
    treeMap: null,
    dominatorTree: null,
    progress: null,
    error: null,
  };
}

export function newDiffing(): DiffingModel {
  return { state: DIFFING.SELECTING, firstSnapshotId: null, secondSnapshotId: null, census: null, byClass: null, error: null };
}

export function newLeaks(): LeaksModel {
  return { state: LEAKS.SELECTING, ids: [], allowsOtherProcess: false, report: null, progress: null, error: null };
}

export function newIndividuals(): IndividualsModel {
  return {
    state: INDIVIDUALS.COMPUTING_DOMINATOR_TREE,
    id: null,
    of: null,
    nodes: [],
    nodeCount: 0,
    shallowSize: 0,
    labelDisplay: null,
    focused: null,
    error: null,
  };
}
