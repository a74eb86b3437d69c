// SPDX-License-Identifier: MIT
// What heaps, rows and their numbers are called in this page.
import type { Dominators1Document, Heaps1Document, Targets1Document, Treemap1Document } from "./documents";

/** Of an open heap on the server, such as "h1": what the seed calls the path of a snapshot. */
export type HeapPath = string;
/** Of a node in the heap's file: a string where a double is not exact. */
export type NodeId = number | string;
/** Bytes; above 2^53 the nearest double. */
export type Bytes = number;
/** Of a row of a census tree: the same for the same breakdown, filter and inversion. */
export type RowId = number;

export type OpenHeap = Heaps1Document["heaps"][number];
/** A live heap that the server can save. */
export type LiveTarget = Targets1Document["targets"][number];
export type HeapKind = OpenHeap["kind"];
export type TreeMapBox = Treemap1Document["boxes"][number];

export interface Frame {
  source: string;
  line: number;
  column: number;
  functionDisplayName: string | null;
}

/** A group of a census: a word, the frame that allocated, or null for the root. */
export type RowName = string | Frame | null;

/** Sums of a group alone, and with all groups below it. */
export interface RowTotals {
  bytes: Bytes;
  totalBytes: Bytes;
  count: number;
  totalCount: number;
}

/** A node of a census tree, as the seed's CensusTreeNode. */
export interface CensusTreeNode extends RowTotals {
  name: RowName;
  id: RowId;
  parent?: RowId;
  /** Which parts of the report it shows; a list where inversion merged several. */
  reportLeafIndex?: number | number[];
  children?: CensusTreeNode[];
}

/** A row without its children: they come by the page. */
export interface CensusRow extends RowTotals {
  name: RowName;
  id: RowId;
  childCount: number;
  reportLeafIndex?: number | number[];
}

/** Some children of one row, in an order. */
export interface CensusPage {
  parent: RowId;
  offset: number;
  childCount: number;
  /** Of the whole tree, which shares are of. */
  totalBytes: Bytes;
  totalCount: number;
  rows: CensusRow[];
}

/** The way through a breakdown to a node: words and stacks. */
export type Label = (string | Frame[])[];

export interface PathGraph {
  /** The target first. One with a rest stands for so many nodes that the server has left out. */
  nodes: { id: NodeId; name: string; rest?: number }[];
  edges: { from: NodeId; to: NodeId; name: string | null }[];
}

/** As the seed's DominatorTreeNode. */
export interface DominatorTreeNode {
  nodeId: NodeId;
  label: Label | null;
  /** What people call it, where nodes have names of their own. */
  title?: string;
  shallowSize: Bytes;
  retainedSize: Bytes;
  moreChildrenAvailable: boolean;
  parentId?: NodeId;
  /** In the order of what they retain; some may be missing, before others too. */
  children?: DominatorTreeNode[];
  shortestPaths?: PathGraph;
  /** All that it dominates immediately, whether that has come or not; absent in Firefox's own answers. */
  childCount?: number;
  childShallowSize?: Bytes;
  childRetainedSize?: Bytes;
  /** Where it is among its siblings; absent: behind the sibling before it. */
  place?: SiblingPlace;
}

/** The nodes that dominate one another down to one, each with one child. */
export interface DominatorWay {
  top: DominatorTreeNode;
  /** How many levels from the root on are left out; 0: it begins at the root. */
  levelsAbove: number;
}

/** How many siblings come before a node, and what these are in sum. */
export interface SiblingPlace {
  index: number;
  shallowSize: Bytes;
  retainedSize: Bytes;
}

/** Nodes of one class that one node dominates immediately. */
export type DominatedGroup = NonNullable<Dominators1Document["groups"]>[number];
