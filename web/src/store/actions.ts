// SPDX-License-Identifier: MIT
// Everything that can happen, by the names of the seed. Only tasks and views dispatch these; only reducers answer.
import { createAction as action } from "@reduxjs/toolkit";
import type { CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";
import type { Documents } from "../types/documents";
import type { ClassChange } from "../logic/class_diff";
import type { ClassNode } from "../logic/summary_rows";
import type { SummaryPage } from "./reducers/summary";
import type {
  CensusPage,
  DominatedGroup,
  DominatorTreeNode,
  DominatorWay,
  HeapPath,
  LiveTarget,
  NodeId,
  PathGraph,
  RowId,
  TreeMapBox,
} from "../types/heap";
import type {
  AllocationsModel,
  ClassChoice,
  ConnectionState,
  DiffingModel,
  Grouping,
  IndividualsOf,
  Preferences,
  PreviousView,
  Progress,
  Snapshot,
  SnapshotId,
  Sort,
  SummaryModel,
  SummaryWanted,
  TreeMapModel,
  ViewState,
} from "./models";

type OfSnapshot = { id: SnapshotId };
type OfTarget = { target: LiveTarget["id"] };
type Failure = { error: string };
type CensusWanted = { display: CensusDisplay; filter: string | null; sort: Sort };
type Pair = { first: SnapshotId; second: SnapshotId };

// Snapshots.
export const addSnapshot = action<{ snapshot: Snapshot }>("add-snapshot");
export const takeSnapshotStart = action<{ snapshot: Snapshot }>("take-snapshot-start");
export const takeSnapshotEnd = action<OfSnapshot & { path: HeapPath; name: string; size: number; what: string | null }>(
  "take-snapshot-end",
);
export const importSnapshotStart = action<{ snapshot: Snapshot }>("import-snapshot-start");
export const importSnapshotEnd = action<OfSnapshot & { path: HeapPath; kind: Snapshot["kind"]; what: string | null }>(
  "import-snapshot-end",
);
export const readSnapshotStart = action<OfSnapshot>("read-snapshot-start");
export const readSnapshotEnd = action<OfSnapshot & { info: Documents["ubiheap.info/1"] | null }>("read-snapshot-end");
/** Another one in its place: its file has changed. */
export const replaceSnapshot = action<OfSnapshot & { snapshot: Snapshot }>("replace-snapshot");
export const snapshotProgress = action<OfSnapshot & { progress: Progress | null }>("snapshot-progress");
export const snapshotError = action<OfSnapshot & Failure>("snapshot-error");
export const selectSnapshot = action<OfSnapshot>("select-snapshot");
export const deleteSnapshotsStart = action<{ ids: SnapshotId[] }>("delete-snapshots-start");
export const deleteSnapshotsEnd = action<{ ids: SnapshotId[] }>("delete-snapshots-end");

// Live heaps.
export const targetsCame = action<LiveTarget[]>("targets-came");
export const chooseTarget = action<LiveTarget["id"]>("choose-target");
export const setRecordingOptions = action<OfTarget & Partial<Pick<AllocationsModel, "probability" | "maxLogLength">>>(
  "set-recording-options",
);
export const toggleRecordAllocationStacksStart = action<OfTarget>("toggle-record-allocation-stacks-start");
export const toggleRecordAllocationStacksEnd = action<OfTarget>("toggle-record-allocation-stacks-end");

// What is known of a snapshot.
export const takeReportStart = action<OfSnapshot>("take-report-start");
export const takeReportEnd = action<OfSnapshot & { report: Documents["ubiheap.report/1"] | null; text: string | null }>("take-report-end");
export const takeReportError = action<OfSnapshot & Failure>("take-report-error");
export const takeCensusStart = action<OfSnapshot & CensusWanted>("take-census-start");
export const takeCensusEnd = action<OfSnapshot & CensusWanted & { page: CensusPage }>("take-census-end");
export const takeCensusError = action<OfSnapshot & Failure>("take-census-error");
export const censusRowsCame = action<OfSnapshot & { page: CensusPage; of: CensusWanted }>("census-rows-came");
export const expandCensusNode = action<OfSnapshot & { node: RowId }>("expand-census-node");
export const collapseCensusNode = action<OfSnapshot & { node: RowId }>("collapse-census-node");
export const focusCensusNode = action<OfSnapshot & { node: RowId | null }>("focus-census-node");
export const takeTreeMapStart = action<OfSnapshot & { display: TreeMapDisplay }>("take-tree-map-start");
export const takeTreeMapEnd = action<OfSnapshot & { display: TreeMapDisplay; report: Documents["ubiheap.treemap/1"] }>("take-tree-map-end");
export const treeMapDetailCame = action<OfSnapshot & { of: TreeMapBox[]; boxes: TreeMapBox[] }>("tree-map-detail-came");
export const seekInTreeMap = action<OfSnapshot & { sought: TreeMapModel["sought"] }>("seek-in-tree-map");
/** Which part of the map is seen, as zoom.ts writes it. */
export const setTreeMapZoom = action<OfSnapshot & { zoom: string }>("set-tree-map-zoom");
export const takeTreeMapError = action<OfSnapshot & Failure>("take-tree-map-error");

// Classes.
export const takeSummaryStart = action<OfSnapshot & { of: SummaryWanted }>("take-summary-start");
export const summaryRowsCame = action<OfSnapshot & { of: SummaryWanted; page: SummaryPage }>("summary-rows-came");
export const takeSummaryError = action<OfSnapshot & Failure>("take-summary-error");
export const toggleClass = action<OfSnapshot & { index: number; isOpen: boolean }>("toggle-class");
export const classNodesCame = action<OfSnapshot & { key: string; nodes: ClassNode[] }>("class-nodes-came");
export const focusSummaryRow = action<OfSnapshot & { focused: SummaryModel["focused"] }>("focus-summary-row");
export const setSummarySort = action<Sort>("set-summary-sort");

// Dominator trees.
export const computeDominatorTreeStart = action<OfSnapshot>("compute-dominator-tree-start");
export const computeDominatorTreeEnd = action<OfSnapshot & { dominatorTreeId: number }>("compute-dominator-tree-end");
export const fetchDominatorTreeStart = action<OfSnapshot & { display: LabelDisplay }>("fetch-dominator-tree-start");
export const fetchDominatorTreeEnd = action<OfSnapshot & { root: DominatorTreeNode }>("fetch-dominator-tree-end");
export const fetchImmediatelyDominatedStart = action<OfSnapshot>("fetch-immediately-dominated-start");
export const fetchImmediatelyDominatedEnd = action<
  OfSnapshot & { path: NodeId[]; startIndex: number; nodes: DominatorTreeNode[]; moreChildrenAvailable: boolean }
>("fetch-immediately-dominated-end");
export const dominatorTreeError = action<OfSnapshot & Failure>("dominator-tree-error");
export const expandDominatorTreeNode = action<OfSnapshot & { node: DominatorTreeNode }>("expand-dominator-tree-node");
export const collapseDominatorTreeNode = action<OfSnapshot & { node: DominatorTreeNode }>("collapse-dominator-tree-node");
/** `row`: the key of the row, which may also be one that is no node. */
export const focusDominatorTreeNode = action<OfSnapshot & { node: DominatorTreeNode | null; row: string | null }>(
  "focus-dominator-tree-node",
);
export const revealDominatorTreeNode = action<OfSnapshot & { way: DominatorWay }>("reveal-dominator-tree-node");
/** Shows the tree from its root on again. */
export const leaveDeepDominators = action<OfSnapshot>("leave-deep-dominators");
export const setGrouping = action<Grouping>("set-grouping");
export const dominatedGroupsCame = action<OfSnapshot & { nodeId: NodeId; groups: DominatedGroup[]; groupCount: number }>(
  "dominated-groups-came",
);
export const groupMembersCame = action<
  OfSnapshot & { group: string; startIndex: number; nodes: DominatorTreeNode[]; display: LabelDisplay }
>("group-members-came");
export const toggleClassRow = action<OfSnapshot & { row: string; isOpen: boolean }>("toggle-class-row");

// Differences.
export const selectSnapshotForDiffing = action<OfSnapshot>("select-snapshot-for-diffing");
export const takeCensusDiffStart = action<Pair & CensusWanted>("take-census-diff-start");
export const takeCensusDiffEnd = action<Pair & CensusWanted & { page: CensusPage }>("take-census-diff-end");
export const diffingError = action<Failure>("diffing-error");
export const diffingRowsCame = action<Pair & { page: CensusPage; of: CensusWanted }>("diffing-rows-came");
export const expandDiffingCensusNode = action<{ node: RowId }>("expand-diffing-census-node");
export const collapseDiffingCensusNode = action<{ node: RowId }>("collapse-diffing-census-node");
export const focusDiffingCensusNode = action<{ node: RowId | null }>("focus-diffing-census-node");

export const takeClassDiffStart = action<{ sort: Sort; allowsOtherProcess: boolean }>("take-class-diff-start");
export const takeClassDiffEnd = action<Pair & { rows: ClassChange[]; isOneProcess: boolean; chosen: ClassChoice | null }>(
  "take-class-diff-end",
);
export const takeClassDiffError = action<Pair & Failure>("take-class-diff-error");
export const allowOtherProcessInDiff = action("allow-other-process-in-diff");
export const sortClassDiff = action<Sort>("sort-class-diff");
export const focusClassChange = action<ClassChoice>("focus-class-change");
export const classMembersCame = action<Pair & ClassChoice & { nodes: DominatorTreeNode[] }>("class-members-came");
export const classMembersError = action<Pair & ClassChoice & Failure>("class-members-error");
export const focusClassMember = action<NodeId>("focus-class-member");
export const leaveClassDiff = action("leave-class-diff");

// Leaks.
type OfSeries = { ids: readonly SnapshotId[] };
export const chooseForLeaks = action<OfSeries>("choose-for-leaks");
export const findLeaksStart = action<{ allowsOtherProcess: boolean }>("find-leaks-start");
export const leaksProgress = action<{ progress: Progress }>("leaks-progress");
/** `ordered`: the same snapshots, as the report has them. */
export const findLeaksEnd = action<OfSeries & { ordered: readonly SnapshotId[]; report: Documents["ubiheap.leaks/1"] }>("find-leaks-end");
export const leaksError = action<OfSeries & Failure>("leaks-error");

// Individuals.
export const fetchIndividualsStart = action<OfSnapshot & { of: IndividualsOf; labelDisplay: LabelDisplay }>("fetch-individuals-start");
export const fetchIndividualsEnd = action<OfSnapshot & { nodes: DominatorTreeNode[]; nodeCount: number; shallowSize: number }>(
  "fetch-individuals-end",
);
export const individualsError = action<Failure>("individuals-error");
export const focusIndividual = action<{ node: DominatorTreeNode | null }>("focus-individual");

// Objects.
export const objectStart = action<OfSnapshot & { nodeId: NodeId }>("object-start");
export const objectEnd = action<OfSnapshot & { nodeId: NodeId; node: Documents["ubiheap.node/1"] }>("object-end");
export const objectError = action<OfSnapshot & { nodeId: NodeId } & Failure>("object-error");
export const closeObject = action<OfSnapshot & { nodeId: NodeId }>("close-object");

// Retaining paths of the node that is looked at.
export const pathsStart = action<OfSnapshot & { nodeId: NodeId }>("paths-start");
export const pathsEnd = action<OfSnapshot & { nodeId: NodeId; graph: PathGraph }>("paths-end");
export const pathsError = action<OfSnapshot & { nodeId: NodeId } & Failure>("paths-error");

// What is shown, and how.
export const changeView = action<{ newViewState: ViewState; oldDiffing: DiffingModel | null; oldSelected: SnapshotId | null }>(
  "change-view",
);
export const popView = action<{ previousView: PreviousView }>("pop-view");
export const setFilterString = action<string>("set-filter-string");
export const setSort = action<Sort>("set-sort");
export const setCensusDisplay = action<CensusDisplay>("set-census-display");
export const setLabelDisplay = action<LabelDisplay>("set-label-display");
export const setTreeMapDisplay = action<TreeMapDisplay>("set-tree-map-display");
export const resizeShortestPaths = action<number>("resize-shortest-paths");
export const setPreference = action<Partial<Preferences>>("set-preference");
export const trialStart = action<OfSnapshot & { key: string }>("trial-start");
export const trialEnd = action<{ key: string; page: CensusPage }>("trial-end");
export const trialError = action<Failure & { key: string }>("trial-error");
export const connectionChanged = action<ConnectionState>("connection-changed");
/** Errors that are only of a server that did not answer are none any more. */
export const forgetUnanswered = action("forget-unanswered");
export const noticeChanged = action<string | null>("notice-changed");
