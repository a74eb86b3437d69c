// SPDX-License-Identifier: MIT
// Made by tools/schema_types.py from docs/reference/schema/.

/** Functions by what they allocated, and what is left of each span of time. */
export type Allocations1Document = {
  schema: "ubiheap.allocations/1";
  /** FILE as given; - for standard input */
  file: string;
  /** false: count and size are those of what is alive */
  hasHistory: boolean;
  /** functions that allocated; those behind --limit are left out */
  functionCount: Allocations1.Count;
  /** Most bytes first */
  functions: Array<{
    /** empty: anonymous or top level */
    name: string;
    /** empty: not known */
    scriptName: string;
    line: Allocations1.Count;
    column: Allocations1.Count;
    /** objects ever allocated while it was recorded */
    count: Allocations1.Count;
    /** and their sizes then */
    size: Allocations1.Count;
    /** those in the snapshot */
    liveCount: Allocations1.Count;
    /** and their sizes there */
    liveSize: Allocations1.Count;
    /** With --callers: who called it, and who called them; the function itself is no row */
    callers?: Array<{
      /** the row that it called, from 0; null: the function */
      calls: null | number;
      /** empty: anonymous or top level */
      name: string;
      /** empty: not known */
      scriptName: string;
      line: Allocations1.Count;
      column: Allocations1.Count;
      /** objects ever allocated while it was recorded */
      count: Allocations1.Count;
      /** and their sizes then */
      size: Allocations1.Count;
      /** those in the snapshot */
      liveCount: Allocations1.Count;
      /** and their sizes there */
      liveSize: Allocations1.Count;
    }>;
  }>;
  /** Ends of spans of time; the first has all that was there before */
  samples: Array<{
    /** milliseconds since recording began */
    timestamp: number;
    lastAssignedId: Allocations1.NodeId;
    /** objects of that span that are alive */
    liveCount: Allocations1.Count;
    /** and their sizes */
    size: Allocations1.Count;
  }>;
};
export namespace Allocations1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Allocations1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}

/** What the other side answered. The verb allocations has the document of ubiheap allocations about a recording. */
export type Attach1Document = ({
  [name: string]: unknown;
}) & (Attach1.List | Attach1.Snapshot | Attach1.Census | Attach1.Gc | Attach1.Measure);
export namespace Attach1 {
  /** Tabs, processes and worker threads */
  export type List = {
    schema: "ubiheap.attach/1";
    /** The address, as given */
    target: string;
    verb: "list";
    heaps: Array<Attach1.Heap>;
    missing: Attach1.Missing;
  };
}
export namespace Attach1 {
  export type Heap = {
    kind: "tab" | "process" | "worker";
    /** For --tab, --process or, of a worker, --target */
    number: number;
    /** The tab that is taken where none is chosen */
    selected: boolean;
    title: string | null;
    url: string | null;
  };
}
export namespace Attach1 {
  /** A snapshot was saved */
  export type Snapshot = {
    schema: "ubiheap.attach/1";
    /** The address, as given */
    target: string;
    verb: "snapshot";
    /** The file */
    output: string;
    /** Its bytes */
    size: number;
    /** How long the program paused at most, milliseconds */
    pauseMs?: number;
    missing: Attach1.Missing;
  };
}
export namespace Attach1 {
  /** What there is, as the other side counted it */
  export type Census = {
    schema: "ubiheap.attach/1";
    /** The address, as given */
    target: string;
    verb: "census";
    /** Groups of names, each with count and bytes */
    report: {
      [name: string]: unknown;
    };
    missing: Attach1.Missing;
  };
}
export namespace Attach1 {
  /** Garbage was collected */
  export type Gc = {
    schema: "ubiheap.attach/1";
    /** The address, as given */
    target: string;
    verb: "gc";
    /** Bytes of JavaScript */
    sizeBefore: number;
    /** Bytes of JavaScript */
    sizeAfter: number;
    missing: Attach1.Missing;
    /** Of a process: those that were measured before and after, which the sizes are of */
    runtimes?: number;
  };
}
export namespace Attach1 {
  /** Memory by use */
  export type Measure = {
    schema: "ubiheap.attach/1";
    /** The address, as given */
    target: string;
    verb: "measure";
    /** Bytes by use, and how long measuring took, as the other side says it */
    measure: {
      [name: string]: unknown;
    };
    missing: Attach1.Missing;
  };
}
export namespace Attach1 {
  /** Names of runtimes of the process that came to no safe point in time, so that they have no part in the answer */
  export type Missing = Array<string>;
}

/** The indexes in the cache folder, or those that were removed. */
export type Cache1Document = {
  schema: "ubiheap.cache/1";
  /** The cache folder */
  folder: string;
  /** Whether the indexes were removed */
  cleared: boolean;
  /** Bytes of the indexes below */
  size: number;
  /** Bytes above which those not used for the longest time are removed */
  limit: number;
  /** The one used last first */
  indexes: Array<Cache1.Index>;
};
export namespace Cache1 {
  export type Index = {
    /** Of its file in the folder */
    name: string;
    /** Where the heap was; empty: unknown */
    heap: string;
    /** Bytes of the heap's file */
    heapSize: number;
    /** Bytes of the index */
    size: number;
    /** When it was used last, in seconds since the Unix epoch */
    usedTime: number;
    /** The heap is as it was, and this version of ubiheap made the index */
    isCurrent: boolean;
  };
}

/** How much of what is in a heap: the report of takeCensus, or with --tree, --inverted or --filter its tree, or some rows of that, or with --individuals the ids of the nodes in some parts of it. */
export type Census1Document = ({
  schema: "ubiheap.census/1";
  /** FILE as given; - for standard input */
  file: string;
  /** The breakdown that was used */
  breakdown: unknown;
  report?: Census1.Report;
  tree?: Census1.TreeNode;
  page?: Census1.TreePage;
  individuals?: Array<{
    index: number;
    ids: Array<Census1.NodeId>;
  }>;
  /** With --individuals and rows: the nodes in these parts, those first that retain most */
  nodes?: {
    /** All of them, each once */
    nodeCount: Census1.Count;
    /** What all of them take themselves */
    shallowSize: Census1.Count;
    offset: Census1.Count;
    rows: Array<Census1.NodeRow>;
  };
}) & (unknown);
export namespace Census1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Census1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Census1 {
  export type Frame = {
    source: string;
    line: Census1.Count;
    column: Census1.Count;
    functionDisplayName: string | null;
  };
}
export namespace Census1 {
  /** A report of takeCensus. Its shape follows the breakdown. */
  export type Report = {
    count?: Census1.Count;
    bytes?: Census1.Count;
    label?: string;
  } | Array<Census1.NodeId> | {
    [name: string]: Census1.Report;
  } | Array<Census1.StackEntry> | Array<Census1.Report>;
}
export namespace Census1 {
  export type StackEntry = {
    stack: "noStack" | null | Array<Census1.Frame>;
    report: Census1.Report;
  };
}
export namespace Census1 {
  /** A node of a census tree, as Firefox's memory panel has it */
  export type TreeNode = {
    name: null | string | Census1.Frame;
    bytes: number;
    totalBytes: number;
    count: number;
    totalCount: number;
    id: number;
    parent?: number;
    /** Which parts of the report the node shows; a list where inversion merged several */
    reportLeafIndex?: number | Array<number>;
    children?: Array<Census1.TreeNode>;
  };
}
export namespace Census1 {
  /** A row of a census tree without those below it */
  export type TreeRow = {
    name: null | string | Census1.Frame;
    bytes: number;
    totalBytes: number;
    count: number;
    totalCount: number;
    id: number;
    parent?: number;
    /** Which parts of the report the node shows; a list where inversion merged several */
    reportLeafIndex?: number | Array<number>;
    /** How many rows are below it */
    childCount: number;
  };
}
export namespace Census1 {
  /** Some of the rows below one row of the tree */
  export type TreePage = {
    /** Of the whole tree */
    totalBytes: number;
    /** Of the whole tree */
    totalCount: number;
    /** The row that they are below */
    parent: Census1.TreeRow;
    /** How many rows are left out before them */
    offset: number;
    rows: Array<Census1.TreeRow>;
  };
}
export namespace Census1 {
  export type NodeRow = {
    nodeId: Census1.NodeId;
    /** The way through the breakdown to the node; null when it counts the node nowhere */
    label: null | Array<string | Array<Census1.Frame>>;
    shallowSize: Census1.Count;
    retainedSize: Census1.Count;
    /** It dominates nodes */
    moreChildrenAvailable: boolean;
    /** The immediate dominator; missing in the root */
    parentId?: Census1.NodeId;
    /** What people call it; missing where nodes have no names besides their labels */
    title?: string;
  };
}

/** What a node refers to, and what those refer to. */
export type Containment1Document = {
  schema: "ubiheap.containment/1";
  /** FILE as given; - for standard input */
  file: string;
  nodeId: Containment1.NodeId;
  /** what the lens calls this one node */
  displayName: string;
  /** its class, as the lens groups nodes */
  className: string;
  shallowSize: Containment1.Count;
  retainedSize: Containment1.Count;
  /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
  distance: Containment1.Count | null;
  /** 0 not known, 1 in a document, 2 detached from it */
  detachedness: 0 | 1 | 2;
  /** edges that leave the node */
  edgeCount: Containment1.Count;
  /** rows within --depth and --limit are missing because of --rows */
  rowsLeftOut: boolean;
  /** what it refers to, the largest retained size first, up to --limit */
  children: Array<Containment1.Child>;
};
export namespace Containment1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Containment1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Containment1 {
  /** what sort of reference; absent where the producer does not say */
  export type EdgeKind = "context" | "element" | "property" | "internal" | "hidden" | "shortcut" | "weak";
}
export namespace Containment1 {
  export type Child = {
    /** Name or number of the edge; null: it has none */
    edge: string | null;
    edgeKind?: Containment1.EdgeKind;
    nodeId: Containment1.NodeId;
    /** what the lens calls this one node */
    displayName: string;
    /** its class, as the lens groups nodes */
    className: string;
    shallowSize: Containment1.Count;
    retainedSize: Containment1.Count;
    /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
    distance: Containment1.Count | null;
    /** 0 not known, 1 in a document, 2 detached from it */
    detachedness: 0 | 1 | 2;
    /** edges that leave the node */
    edgeCount: Containment1.Count;
    /** what it refers to is listed in another place of the document; absent: it is here, or nowhere */
    shownElsewhere?: true;
    /** what it refers to, the largest retained size first, up to --limit; absent where the node is not opened: below --depth, beyond --rows, and elsewhere than in the place nearest to the first row */
    children?: Array<Containment1.Child>;
  };
}

/** Processes that are recorded: all, or the one that was asked about. Results have the schema ubiheap.recording-tables/1. */
export type Control1Document = {
  schema: "ubiheap.control/1";
  processes: Array<Control1.Process>;
};
export namespace Control1 {
  export type Process = {
    /** Of the process */
    pid: number;
    /** What it was started as, without folders */
    program: string;
    /** Whether allocations are recorded now */
    state: "recording" | "paused";
    /** It is paused, was started, and was not reset since */
    hasResults: boolean;
    /** Path of the recording, as the recorder has it */
    recording: string;
    /** Every allocation is recorded; else a sample */
    exact: boolean;
    /** Since the process began */
    durationMs: number;
    /** Of that, in which allocations were not recorded */
    pausedMs: number;
    /** Recorded so far, in all parts */
    allocations: number;
    /** Recorded so far */
    frees: number;
    /** Recorded and not freed so far */
    liveAllocations: number;
    /** On the heap; an estimate in sampled recordings */
    allocatedBytes: number;
    /** Of totals: since the last reset; else null */
    totals: Control1.Totals | null;
  };
}
export namespace Control1 {
  export type Totals = {
    /** Since the last reset */
    allocated: Control1.Estimate;
    /** What of it was not freed */
    live: Control1.Estimate;
  };
}
export namespace Control1 {
  export type Estimate = {
    /** allocations that were recorded */
    samples: Control1.Count;
    /** of allocations; an estimate in sampled recordings */
    count: Control1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `count` in exact ones */
    countLow: Control1.Number;
    /** nor above, if no block has fewer than 16 bytes */
    countHigh: Control1.Number;
    countError: Control1.Error;
    bytes: Control1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `bytes` in exact ones */
    bytesLow: Control1.Number;
    /** nor above */
    bytesHigh: Control1.Number;
    bytesError: Control1.Error;
  };
}
export namespace Control1 {
  export type Count = number;
}
export namespace Control1 {
  /** standard error; 0 in exact recordings, null when nothing was sampled */
  export type Error = number | null;
}
export namespace Control1 {
  export type Number = number;
}

/** What was written. */
export type Convert1Document = {
  schema: "ubiheap.convert/1";
  /** IN as given; - for standard input */
  file: string;
  /** OUT as given */
  output: string;
  format: "fxsnapshot" | "heapsnapshot" | "jsonl";
  compression: "gzip" | "none";
  inputBytes: Convert1.Count;
  outputBytes: Convert1.Count;
  /** Of the output, before compression */
  inflatedBytes: Convert1.Count;
  nodeCount: Convert1.Count;
  edgeCount: Convert1.Count;
  stringCount: Convert1.Count;
  frameCount: Convert1.Count;
  /** Stacks that lost older frames because the format takes no longer ones */
  cutStacks: Convert1.Count;
  /** Edges of a V8 snapshot that keep nothing alive, and are not in a file for Firefox */
  leftOutEdges: Convert1.Count;
  /** Different words that were replaced; null unless anonymized */
  replacedWords: number | null;
  /** The input ended at a message border for another reason than its clean end */
  endedEarly: boolean;
  /** Why, when endedEarly */
  endNote: string | null;
};
export namespace Convert1 {
  export type Count = number;
}

/** What was written. */
export type ConvertRecording1Document = ({
  schema: "ubiheap.convert-recording/1";
  /** IN as given; - for standard input */
  file: string;
  /** OUT as given */
  output: string;
  format: "ubirec" | "timeline";
  /** Of all files that were read */
  inputBytes: ConvertRecording1.Count;
  /** Of all files that were written */
  outputBytes: ConvertRecording1.Count;
  /** Of a recording */
  allocationCount?: ConvertRecording1.Count;
  /** Of a timeline */
  markerCount?: ConvertRecording1.Count;
  /** Different words that were replaced */
  replacedWords: ConvertRecording1.Count;
  /** Of unfinished blocks at the end of the input, which are not in the copy */
  tornBytes: ConvertRecording1.Count;
  /** What is wrong in the input, behind which nothing was read */
  fault: string | null;
  /** One for each process that was recorded */
  files: Array<{
    file: string;
    output: string;
  }>;
}) & (unknown);
export namespace ConvertRecording1 {
  export type Count = number;
}

/** What changed between two heaps: the delta report of CensusUtils.diff, or with --tree, --inverted or --filter its tree, or some rows of that, or with --by class a row for each class or the nodes of one. */
export type Diff1Document = ({
  schema: "ubiheap.diff/1";
  old: Diff1.Side;
  new: Diff1.Side;
  /** The breakdown that was used */
  breakdown?: unknown;
  /** Bytes in the count leaves of the old report; 0 when the breakdown does not show them */
  basisTotalBytes?: Diff1.Count;
  /** Nodes in the count leaves of the old report; 0 when the breakdown does not show them */
  basisTotalCount?: Diff1.Count;
  delta?: Diff1.Delta;
  tree?: Diff1.TreeNode;
  page?: Diff1.TreePage;
  /** Ids that nodes of both heaps have, in the same class or not */
  commonIds?: Diff1.Count;
  /** Whether the files look like snapshots of one process, by what they have under equal ids; false: what was created and deleted says nothing */
  sameProcess?: boolean;
  /** Of one class, in place of the classes: which nodes are new, and which are deleted */
  individuals?: {
    class: Diff1.ClassChange;
    created: Array<Diff1.NodeId>;
    deleted: Array<Diff1.NodeId>;
  };
  /** Of one class, in place of the classes, with a side and rows: its nodes that are new, or those that are deleted, those first that retain most */
  nodes?: {
    /** All of them, each once */
    nodeCount: Diff1.Count;
    /** What all of them take themselves */
    shallowSize: Diff1.Count;
    offset: Diff1.Count;
    rows: Array<Diff1.NodeRow>;
  };
  /** Classes of either heap: those that changed most first, or with --sort growth those that grew most */
  byClass?: Array<Diff1.ClassChange>;
  /** Files of the scripts that places of these classes name, as far as they are known: "82" of the place "82,3,29" */
  scripts?: {
    [name: string]: string;
  };
}) & (unknown);
export namespace Diff1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Diff1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Diff1 {
  /** One of the two heaps, and what a census counts in it */
  export type Side = {
    /** OLD or NEW as given; - for standard input */
    file: string;
    count: Diff1.Count;
    bytes: Diff1.Count;
  };
}
export namespace Diff1 {
  export type Tally = {
    count: Diff1.Count;
    bytes: Diff1.Count;
  };
}
export namespace Diff1 {
  export type ClassChange = {
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    /** As the tools of the files' producer name the class: descriptive name, else class, else script file, else type; of V8, DevTools' name, with inferred shapes of plain objects */
    name: string;
    /** Where the class is defined, to tell classes of one name apart: of V8, script, line and column. Absent where not known */
    place?: string;
    /** In the old heap */
    old: Diff1.Tally;
    /** In the new heap */
    new: Diff1.Tally;
    /** Nodes of the new heap whose id is not in the old one, or in another class */
    created: Diff1.Tally;
    /** Nodes of the old heap whose id is not in the new one, or in another class */
    deleted: Diff1.Tally;
  };
}
export namespace Diff1 {
  /** A difference, new less old. Beyond 2^53 it is the nearest double. */
  export type Change = number;
}
export namespace Diff1 {
  export type Frame = {
    source: string;
    line: Diff1.Count;
    column: Diff1.Count;
    functionDisplayName: string | null;
  };
}
export namespace Diff1 {
  /** A report of CensusUtils.diff. Its shape follows the breakdown. */
  export type Delta = {
    count?: Diff1.Change;
    bytes?: Diff1.Change;
    label?: string;
  } | Array<Diff1.NodeId> | {
    [name: string]: Diff1.Delta;
  } | Array<Diff1.StackEntry> | Array<Diff1.Delta>;
}
export namespace Diff1 {
  export type StackEntry = {
    stack: "noStack" | null | Array<Diff1.Frame>;
    report: Diff1.Delta;
  };
}
export namespace Diff1 {
  /** A node of a census tree, as Firefox's memory panel has it */
  export type TreeNode = {
    name: null | string | Diff1.Frame;
    bytes: number;
    totalBytes: number;
    count: number;
    totalCount: number;
    id: number;
    parent?: number;
    /** Which parts of the report the node shows; a list where inversion merged several */
    reportLeafIndex?: number | Array<number>;
    children?: Array<Diff1.TreeNode>;
  };
}
export namespace Diff1 {
  /** A row of a census tree without those below it */
  export type TreeRow = {
    name: null | string | Diff1.Frame;
    bytes: number;
    totalBytes: number;
    count: number;
    totalCount: number;
    id: number;
    parent?: number;
    /** Which parts of the report the node shows; a list where inversion merged several */
    reportLeafIndex?: number | Array<number>;
    /** How many rows are below it */
    childCount: number;
  };
}
export namespace Diff1 {
  /** Some of the rows below one row of the tree */
  export type TreePage = {
    /** Of the whole tree */
    totalBytes: number;
    /** Of the whole tree */
    totalCount: number;
    /** The row that they are below */
    parent: Diff1.TreeRow;
    /** How many rows are left out before them */
    offset: number;
    rows: Array<Diff1.TreeRow>;
  };
}
export namespace Diff1 {
  export type NodeRow = {
    nodeId: Diff1.NodeId;
    /** The way through the breakdown to the node; null when it counts the node nowhere */
    label: null | Array<string | Array<Diff1.Frame>>;
    shallowSize: Diff1.Count;
    retainedSize: Diff1.Count;
    /** It dominates nodes */
    moreChildrenAvailable: boolean;
    /** The immediate dominator; missing in the root */
    parentId?: Diff1.NodeId;
    /** What people call it; missing where nodes have no names besides their labels */
    title?: string;
  };
}

/** A part of the dominator tree, or the nodes with the largest retained sizes, or what one node dominates immediately, by class. */
export type Dominators1Document = ({
  schema: "ubiheap.dominators/1";
  /** FILE as given; - for standard input */
  file: string;
  rootId: Dominators1.NodeId;
  /** Nodes in the whole tree: those that can be reached, the root included */
  nodeCount: Dominators1.Count;
  /** What labels were made by */
  breakdown?: unknown;
  tree?: Dominators1.Row;
  /** With nextDrop: whether there is one; then it is the first row */
  hasDrop?: boolean;
  /** With way: how many nodes from the root on the way leaves out; 0: it begins at the root */
  countAboveWay?: Dominators1.Count;
  /** With way: the nodes from the root down to the first row, the last 1000 of them */
  way?: Array<Dominators1.Step>;
  /** With --limit: greatest retained size first, equal ones by ascending id */
  top?: Array<Dominators1.Row>;
  /** With likes: the nodes of one node's class that its dominator dominates, those first that retain most; sizes are sums of all of them */
  likes?: {
    count: Dominators1.Count;
    shallowSize: Dominators1.Count;
    retainedSize: Dominators1.Count;
    offset: Dominators1.Count;
    rows: Array<Dominators1.Row>;
  };
  /** With --flat, or when the tree has more than 200 levels: the rows of the tree, each before those below it */
  rows?: Array<Dominators1.FlatRow>;
  /** With --by class: the node that dominates them */
  nodeId?: Dominators1.NodeId;
  /** With --by class: how many groups there are, listed or not */
  groupCount?: Dominators1.Count;
  /** With --by class: what retains most first; sizes are sums, of disjoint parts of the heap */
  groups?: Array<Dominators1.Group>;
}) & (unknown | {
  breakdown?: never;
  [name: string]: unknown;
});
export namespace Dominators1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Dominators1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Dominators1 {
  export type Frame = {
    source: string;
    line: Dominators1.Count;
    column: Dominators1.Count;
    functionDisplayName: string | null;
  };
}
export namespace Dominators1 {
  export type Row = {
    nodeId: Dominators1.NodeId;
    /** The way through the breakdown to the node; null when it counts the node nowhere */
    label: null | Array<string | Array<Dominators1.Frame>>;
    shallowSize: Dominators1.Count;
    retainedSize: Dominators1.Count;
    /** It dominates nodes that are not under children */
    moreChildrenAvailable: boolean;
    /** The immediate dominator; missing in the root */
    parentId?: Dominators1.NodeId;
    /** Immediately dominated nodes, greatest retained size first; missing when none is listed */
    children?: Array<Dominators1.Row>;
    /** Nodes that it dominates immediately; missing with --compat firefox */
    childCount?: Dominators1.Count;
    /** What all of these take themselves; missing with --compat firefox */
    childShallowSize?: Dominators1.Count;
    /** What all of these retain: disjoint parts of what the row retains; missing with --compat firefox */
    childRetainedSize?: Dominators1.Count;
    /** What people call it; missing where nodes have no names besides their labels, and with --compat firefox */
    title?: string;
  };
}
export namespace Dominators1 {
  export type FlatRow = {
    nodeId: Dominators1.NodeId;
    /** The way through the breakdown to the node; null when it counts the node nowhere */
    label: null | Array<string | Array<Dominators1.Frame>>;
    shallowSize: Dominators1.Count;
    retainedSize: Dominators1.Count;
    /** It dominates nodes that are not under children */
    moreChildrenAvailable: boolean;
    /** The immediate dominator; missing in the root */
    parentId?: Dominators1.NodeId;
    /** Levels above it in rows, 0 of the first */
    depth: Dominators1.Count;
    /** Nodes that it dominates immediately; missing with --compat firefox */
    childCount?: Dominators1.Count;
    /** What all of these take themselves; missing with --compat firefox */
    childShallowSize?: Dominators1.Count;
    /** What all of these retain: disjoint parts of what the row retains; missing with --compat firefox */
    childRetainedSize?: Dominators1.Count;
    /** What people call it; missing where nodes have no names besides their labels, and with --compat firefox */
    title?: string;
  };
}
export namespace Dominators1 {
  export type Step = {
    nodeId: Dominators1.NodeId;
    /** The way through the breakdown to the node; null when it counts the node nowhere */
    label: null | Array<string | Array<Dominators1.Frame>>;
    shallowSize: Dominators1.Count;
    retainedSize: Dominators1.Count;
    /** It dominates nodes that are not under children */
    moreChildrenAvailable: boolean;
    /** The immediate dominator; missing in the root */
    parentId?: Dominators1.NodeId;
    /** Nodes that it dominates immediately; missing with --compat firefox */
    childCount: Dominators1.Count;
    /** What all of these take themselves; missing with --compat firefox */
    childShallowSize: Dominators1.Count;
    /** What all of these retain: disjoint parts of what the row retains; missing with --compat firefox */
    childRetainedSize: Dominators1.Count;
    /** What people call it; missing where nodes have no names besides their labels, and with --compat firefox */
    title?: string;
    /** How many of those that its dominator dominates come before it */
    index: Dominators1.Count;
    /** What these take themselves */
    shallowSizeBefore: Dominators1.Count;
    /** What these retain */
    retainedSizeBefore: Dominators1.Count;
  };
}
export namespace Dominators1 {
  export type Group = ({
    coarseType: string;
    className?: string;
    /** The engine's type, of nodes without a class */
    typeName?: string;
    /** Nodes */
    count: Dominators1.Count;
    shallowSize: Dominators1.Count;
    retainedSize: Dominators1.Count;
    /** The one that retains most */
    largestNodeId: Dominators1.NodeId;
  }) & (unknown);
}

/** Why a request was not answered. */
export type Error1Document = {
  schema: "ubiheap.error/1";
  /** The status of the library */
  status: "outOfMemory" | "inputOutput" | "badInput" | "wrongArgument" | "unauthorized" | "forbidden" | "notFound" | "cancelled" | "limitReached" | "mismatch" | "busy" | "wrongState";
  /** One line: what, where, what was expected */
  message: string;
};

/** Files below the folders of the server that can be opened. */
export type Files1Document = {
  schema: "ubiheap.files/1";
  /** False: there are more than are listed */
  isComplete: boolean;
  files: Array<{
    /** As it can be opened */
    path: string;
    /** What such files are called */
    what: string;
    /** Bytes */
    size: number;
  }>;
};

/** Functions with what was asked for by them and all that they called, as a tree; of two recordings, in both. */
export type Flamegraph1Document = {
  schema: "ubiheap.flamegraph/1";
  /** FILE as given; - for standard input; of two recordings the newer one */
  file: string;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  /** false: numbers are estimates */
  exact: boolean;
  /** of the allocations */
  class: "heap" | "mapping" | "object";
  /** what the numbers count */
  by: "leaked" | "peak" | "total" | "count" | "temporary" | "live";
  unit: "bytes" | "allocations";
  /** whether callers are below what they call */
  inverted: boolean;
  /** of everything; of two recordings of the newer one, as all numbers without old in their names */
  total: number;
  /** the older of two recordings; of one, this is missing */
  old?: {
    file: string;
    /** false: its numbers are estimates */
    exact: boolean;
    total: number;
  };
  /** nodes of the tree; more than there are functions, for each has a node for each of its callers */
  functionCount: number;
  /** what --suppress hides of what was not freed, which sums have as well, and lists not; estimates in sampled recordings; null: there were no suppressions */
  suppressed: {
    heap: {
      count: number;
      bytes: number;
    };
    mapping: {
      count: number;
      bytes: number;
    };
    object: {
      count: number;
      bytes: number;
    };
    /** that hide nothing */
    unusedRules: number;
    /** in the order in which they were given */
    rules: Array<{
      /** after leak: */
      pattern: string;
      count: number;
      bytes: number;
    }>;
  } | null;
  /** the largest of them, of two recordings in both together, each after the one that it belongs to; the first is the whole */
  functions: Array<{
    /** index in functions of the caller, or, inverted, of what is called; null: the whole */
    parent: number | null;
    /** a name, or a module and an address */
    function: string;
    /** what was asked for there */
    self: number;
    /** with what is below */
    all: number;
    /** what the older of two recordings has there */
    oldSelf?: number;
    /** with what is below */
    oldAll?: number;
  }>;
};

/** What is open: a heap, a recording or a timeline. */
export type Heap1Document = {
  schema: "ubiheap.heap/1";
  /** Never given twice by one server */
  id: string;
  /** What it is called: its path below a folder, the name of its file, or that of its upload */
  name: string;
  kind: "heap" | "recording" | "timeline";
  /** What such files are called; absent while it is unknown */
  what?: string;
  /** What is wrong with its file; absent while nothing is known to be wrong: it is read when something is asked */
  fault?: string;
  /** By the command line, below a folder, sent by a client, or saved from a live heap */
  origin: "given" | "opened" | "uploaded" | "saved";
  /** Bytes of its file */
  size: number;
  /** Its address */
  self: string;
  /** Address of its file */
  file: string;
};

/** All that is open. */
export type Heaps1Document = {
  schema: "ubiheap.heaps/1";
  /** Which server this is: another each time that one is started, and then ids mean other heaps */
  server: string;
  heaps: Array<{
    /** Never given twice by one server */
    id: string;
    /** What it is called: its path below a folder, the name of its file, or that of its upload */
    name: string;
    kind: "heap" | "recording" | "timeline";
    /** What such files are called; absent while it is unknown */
    what?: string;
    /** What is wrong with its file; absent while nothing is known to be wrong: it is read when something is asked */
    fault?: string;
    /** By the command line, below a folder, sent by a client, or saved from a live heap */
    origin: "given" | "opened" | "uploaded" | "saved";
    /** Bytes of its file */
    size: number;
    /** Its address */
    self: string;
    /** Address of its file */
    file: string;
  }>;
};

/** What kind of snapshot a file is and what it carries. */
export type Info1Document = {
  schema: "ubiheap.info/1";
  /** FILE as given; - for standard input */
  file: string;
  /** Null for a heap that was not read from a file */
  format: string | null;
  compression: "gzip" | "zlib" | "none" | null;
  inputBytes: Info1.Count;
  inflatedBytes: Info1.Count;
  /** Messages read, metadata included */
  messageCount: Info1.Count;
  /** The stream ended at a message border for another reason than its clean end */
  endedEarly: boolean;
  /** Why, when endedEarly */
  endNote: string | null;
  /** What is odd about the file, but no error, such as ids that nodes share */
  note: string | null;
  /** Who probably wrote the file */
  producer: string | null;
  /** The program that wrote the file, if it says */
  writer: string | null;
  /** ISO 8601, UTC */
  creationTime: string | null;
  /** Microseconds since 1970 UTC; null when the file does not say */
  creationTimeUs: number | null;
  nodeCount: Info1.Count;
  edgeCount: Info1.Count;
  stringCount: Info1.Count;
  /** How many different names nodes have: classes as the engine calls them, constructors as programs do */
  names: {
    classes: Info1.Count;
    constructors: Info1.Count;
    domNodes: Info1.Count;
    scripts: Info1.Count;
  };
  frameCount: Info1.Count;
  nodesWithStack: Info1.Count;
  rootId: Info1.NodeId;
  /** What can be reached from the root, the root included */
  reachable: Info1.Tally;
  unreachable: Info1.Tally;
  /** What the file has beside types and sizes. Further keys are those of the file's format, which its page in docs/formats lists */
  carries: {
    edgeNames: boolean;
    classNames: boolean;
    constructorNames: boolean;
    domNames: boolean;
    scriptFilenames: boolean;
    allocationStacks: boolean;
    [name: string]: unknown;
  };
  /** What the loaded graph takes */
  memory: {
    totalBytes: Info1.Count;
    nodesBytes: Info1.Count;
    edgesBytes: Info1.Count;
    indexBytes: Info1.Count;
    stringsBytes: Info1.Count;
    stacksBytes: Info1.Count;
    /** Node columns and id index */
    bytesPerNode: number;
    bytesPerEdge: number;
  };
  /** Wall time of reading; absent in answers that are kept and given again, as those of servers are */
  loadTimeUs?: Info1.Count;
};
export namespace Info1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Info1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Info1 {
  export type Tally = {
    count: Info1.Count;
    bytes: Info1.Count;
  };
}

/** A request that takes time; also the data of its server-sent events. */
export type Job1Document = {
  schema: "ubiheap.job/1";
  id: string;
  /** The question, or another errand: files, save, index */
  title: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** It stays when it is finished, until it is one of too many */
  isKept: boolean;
  /** Milliseconds since it was asked for */
  ageMs: number;
  /** What it does now, in words */
  stage?: string;
  /** Of the stage; absent while it is unknown */
  fraction?: number;
  /** Of one that failed or was cancelled */
  status?: "outOfMemory" | "inputOutput" | "badInput" | "wrongArgument" | "notFound" | "cancelled" | "limitReached" | "mismatch" | "busy" | "wrongState";
  /** Why */
  message?: string;
  /** Its address */
  self: string;
  /** Address of its events */
  events: string;
  /** Address of its answer */
  answer: string;
};

/** Jobs that wait, run, or are kept. */
export type Jobs1Document = {
  schema: "ubiheap.jobs/1";
  jobs: Array<{
    id: string;
    /** The question, or another errand: files, save */
    title: string;
    state: "waiting" | "running" | "done" | "failed" | "cancelled";
    /** It stays when it is finished, until it is one of too many */
    isKept: boolean;
    /** Milliseconds since it was asked for */
    ageMs: number;
    /** What it does now, in words */
    stage?: string;
    /** Of the stage; absent while it is unknown */
    fraction?: number;
    /** Of one that failed or was cancelled */
    status?: "outOfMemory" | "inputOutput" | "badInput" | "wrongArgument" | "notFound" | "cancelled" | "limitReached" | "mismatch" | "busy" | "wrongState";
    /** Why */
    message?: string;
    /** Its address */
    self: string;
    /** Address of its events */
    events: string;
    /** Address of its answer */
    answer: string;
  }>;
};

/** What a program holds on to between snapshots, in clusters: objects of one class that are held in one way. */
export type Leaks1Document = {
  schema: "ubiheap.leaks/1";
  /** The first */
  old: Leaks1.Heap;
  /** Of two the second, else the last but one */
  new: Leaks1.Heap;
  /** The last; with three files or more */
  newer?: Leaks1.Heap;
  /** All files, the newest last */
  heaps: Array<{
    /** As given; - for standard input */
    file: string;
    count: Leaks1.Count;
    bytes: Leaks1.Count;
    /** When it was taken, ISO 8601; of files that know it */
    created?: string;
    /** Nodes whose ids are in the newest file, too */
    commonIds: Leaks1.Count;
    /** Of these, those of an equal class there, and strings that are strings there */
    commonIdsOfEqualClass: Leaks1.Count;
    /** Whether it can be compared with the newest; out of order only beside files of other processes */
    fit: "fits" | "out of order" | "same snapshot" | "other process";
  }>;
  /** Files of --control */
  control?: Array<string>;
  /** The newest heap less OLD */
  growth: {
    count: number;
    bytes: number;
    /** Bytes by which objects that were there in OLD became larger: the sum of those in "grown" that are leaks, shown or not */
    grownBytes: number;
    /** Of the growth from OLD to NEW, the bytes that no cluster keeps: objects of OLD became larger */
    unlistedBytes: number;
    /** What came and stayed or became larger, and is neither in clusters nor in "grown" */
    unlisted: {
      verdict: Leaks1.Verdict;
      isLeak: boolean;
      /** Came by NEW and was still there in NEWER; of two files, in NEW */
      stayedBytes: number;
      /** How much of it was there in each file; 0 in OLD */
      bytes: Array<number>;
    };
  };
  /** Of all clusters that are leaks, shown or not: objects, their own sizes, what they keep, and how many clusters */
  leaked: {
    count: Leaks1.Count;
    bytes: Leaks1.Count;
    retainedSize: Leaks1.Count;
    clusters: Leaks1.Count;
  };
  /** The same sums for each verdict that clusters have, whether it counts as a leak or was chosen, or not */
  byVerdict: {
    [name: string]: {
      count: Leaks1.Count;
      bytes: Leaks1.Count;
      retainedSize: Leaks1.Count;
      clusters: Leaks1.Count;
    };
  };
  /** All clusters, shown or not, leaks or not; with --verdict, those of the chosen verdicts */
  clusterCount: Leaks1.Count;
  /** Whether the files can be compared at all; if not, nothing here can be trusted, and the exit status is 3 */
  comparable: boolean;
  /** Whether node ids look as if the files were of one run of a program; if not, nothing here can be trusted */
  sameRun: boolean;
  /** Whether ids or times of creation tell the order of the files; if not, they are taken to stand in it. Of several processes it is never known */
  orderIsKnown?: boolean;
  /** Ids are addresses (Firefox): moved objects count as new, and reused addresses hide new ones of the same class */
  idsAreAddresses: boolean;
  /** With four files or more: classes with more nodes in the newest file than in the first, most bytes of growth first; as many as --limit allows */
  classes?: Array<{
    className: string;
    place?: string;
    coarseType: Leaks1.CoarseType;
    /** Nodes in each file */
    counts: Array<Leaks1.Count>;
    /** Their own sizes */
    bytes: Array<Leaks1.Count>;
    /** Steps from one file to the next with which they became more */
    rises: Leaks1.Count;
  }>;
  /** Leaks first, most retained first; as many as --limit allows */
  clusters: Array<Leaks1.Cluster>;
  /** Objects that were there in OLD and became larger, or hold larger ones under the same name; leaks first, then those that grew most; as many as --limit allows, at most 200 */
  grown: Array<Leaks1.Grown>;
};
export namespace Leaks1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Leaks1 {
  export type CoarseType = "Other" | "Object" | "Script" | "String" | "DOMNode";
}
export namespace Leaks1 {
  /** What the numbers say; bounded, replaced and controlled are no leaks */
  export type Verdict = "grew" | "steady" | "once" | "large" | "bounded" | "replaced" | "controlled" | "stepwise";
}
export namespace Leaks1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Leaks1 {
  /** A snapshot, and what is in classes in it */
  export type Heap = {
    /** As given; - for standard input */
    file: string;
    count: Leaks1.Count;
    bytes: Leaks1.Count;
  };
}
export namespace Leaks1 {
  export type Grown = {
    /** Class of the object */
    className: string;
    /** Where the class is defined; absent where not known */
    place?: string;
    coarseType: Leaks1.CoarseType;
    verdict: Leaks1.Verdict;
    /** Whether it counts for --fail-on 'grown' */
    isLeak: boolean;
    /** From OLD to the newest file */
    grownBytes: Leaks1.Count;
    /** What it weighed in each file: its own size, parts of the engine that it alone has, and what it alone holds by a name and replaces */
    bytes: Array<Leaks1.Count>;
    /** Steps from one file to the next with which it grew, counted from 1 */
    grewWith: Array<Leaks1.Count>;
    /** Bytes by which the same grew in the control; with --control */
    inControl?: Leaks1.Count;
    /** It is the holder of a cluster that is a leak: its table grew with that */
    holdsLeaked: boolean;
    /** How many objects grew: 1, or several of one class that are held in one way; then bytes and grownBytes are those of all, and nodeId, words and path those of the one that grew most */
    count: Leaks1.Count;
    /** Own size in the newest file of the object of contentId, or else of nodeId, as `show` tells it; bytes has what it alone holds as well */
    ownSize: Leaks1.Count;
    /** It is one string that others were added to (`log += line`), or holds such a one: its bytes are those of all parts */
    isRope: boolean;
    /** The object */
    nodeId: Leaks1.NodeId;
    /** What most of it is now: a text, a buffer, an array that took the place of a smaller one; absent if it grew itself */
    contentId?: Leaks1.NodeId;
    /** The object or this content, and how it is held, such as Map, property samples of Metrics */
    words: string;
    /** A shortest way to that from the root, in words */
    path: string;
    /** Edges of that way */
    pathLength: Leaks1.Count;
  };
}
export namespace Leaks1 {
  export type Cluster = {
    /** Class of the objects that the cluster is about */
    className: string;
    /** Where the class is defined; absent where not known */
    place?: string;
    /** The place as file, line and column, from 1. Absent where not known */
    location?: {
      file: string;
      line: number;
      column: number;
    };
    coarseType: Leaks1.CoarseType;
    /** Of functions: their name */
    name?: string;
    /** Of functions, bound ones and timers of Node.js: the function of the example, which they are, are bound to or call; where the file knows its place */
    code?: {
      /** Its name; may be empty */
      function: string;
      /** The script, as the file has it; null: not known */
      file: string | null;
      /** From 1 */
      line: Leaks1.Count;
      /** From 1 */
      column: Leaks1.Count;
      /** How many leaked objects of the cluster have their code at another place */
      elsewhere: Leaks1.Count;
    };
    verdict: Leaks1.Verdict;
    /** Whether the cluster counts in "leaked" and for --fail-on */
    isLeak: boolean;
    /** How many of the class leaked in this place */
    count: Leaks1.Count;
    /** Their own sizes */
    bytes: Leaks1.Count;
    /** Own sizes of everything born after OLD that is alive through leaked objects of the cluster alone */
    retainedSize: Leaks1.Count;
    /** How many nodes that is */
    retainedCount: Leaks1.Count;
    /** Others of the class in the same place that were there in OLD */
    older: Leaks1.Count;
    /** Others in the same place that came after NEW; with three files or more */
    younger?: Leaks1.Count;
    /** How many leaked in this cluster in the control; with --control only */
    inControl?: Leaks1.Count;
    /** Nodes of the class in each snapshot */
    classCounts: Array<Leaks1.Count>;
    /** For each step from one file to the next: how many came with it and are still there; of the last, which are no leaks yet, as younger or, of trees, all of the class */
    came: Array<Leaks1.Count>;
    /** Steps, counted from 1, with a tenth of the most or more */
    grewWith: Array<number>;
    /** How many come in an hour, over all steps; of files that know when they were taken */
    perHour?: number;
    /** Other leaked objects that are alive through these: at most three classes, most bytes first; with what the engine has for them alone, such as the elements of an array */
    keeps: Array<{
      className: string;
      count: Leaks1.Count;
      bytes: Leaks1.Count;
    }>;
    holder: null | {
      nodeId: Leaks1.NodeId;
      className: string;
      /** What it is and where, such as "Map, variable registry of add() (app.js:7)" */
      words: string;
      /** It came after OLD itself */
      isNew: boolean;
      /** How many such objects hold leaked ones of the cluster */
      holders: Leaks1.Count;
    };
    /** Where holder is null: the variable that holds the objects, such as "variable last of add() (app.js:7)", or that nothing but roots of the engine does */
    heldBy?: string;
    /** One of the objects */
    example: Leaks1.NodeId;
    /** Where it was allocated, youngest frame first; of files that know it */
    allocationStack?: Array<{
      source: string;
      line: number;
      /** 0: not known */
      column: number;
      functionDisplayName: string | null;
    }>;
    /** A shortest way to it from the root, in words */
    path: string;
    /** Edges of that way */
    pathLength: Leaks1.Count;
  };
}

/** Memory of a live heap, by use. */
export type Measure1Document = {
  schema: "ubiheap.measure/1";
  target: string;
  rows: Array<({
    /** Of the engine, such as jsObjectsSize */
    name: string;
    bytes?: number;
    count?: number;
  }) & (unknown)>;
};

/** Everything known of one node. */
export type Node1Document = {
  schema: "ubiheap.node/1";
  /** FILE as given; - for standard input */
  file: string;
  nodeId: Node1.NodeId;
  /** Its place in the file, from 0 */
  ordinal: Node1.Count;
  coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
  displayName: string;
  /** What people call it: of nodes without a name, the kind of thing */
  title: string;
  typeName: string;
  className: string | null;
  descriptiveTypeName: string | null;
  scriptFilename: string | null;
  /** V8: where a function stands, or an object's constructor; absent where the file does not say */
  location?: {
    scriptId: Node1.Count;
    /** from 1 */
    line: Node1.Count;
    /** from 1 */
    column: Node1.Count;
  };
  /** V8: 0 not known, 1 in a document, 2 detached from it */
  detachedness?: 0 | 1 | 2;
  /** What else the file says of this node, by the keys that the page of its format in docs/formats lists */
  further?: {
    [name: string]: string;
  };
  shallowSize: Node1.Count;
  /** 0 when it cannot be reached */
  retainedSize: Node1.Count;
  /** Nodes that it dominates at any depth, itself not counted */
  retainedCount: Node1.Count;
  /** Nodes that it dominates immediately */
  dominatedCount: Node1.Count;
  /** Edges on the shortest way from the root; null when there is none */
  distance: number | null;
  /** The immediate dominator; null for the root and for nodes that cannot be reached */
  dominator: null | {
    nodeId: Node1.NodeId;
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    displayName: string;
    /** What people call it: of nodes without a name, the kind of thing */
    title: string;
  };
  /** The shortest way to it in words; left out where there are no steps */
  pathText?: string;
  /** The shortest way to it, from the root on; empty for the root, null when there is none */
  path: null | Array<{
    predecessor: Node1.NodeId;
    edge: string | null;
    edgeKind?: Node1.EdgeKind;
  }>;
  /** Youngest frame first; null when it was not recorded */
  allocationStack: null | Array<Node1.Frame>;
  /** Edges that leave it */
  edgeCount: Node1.Count;
  /** The first of them, greatest retained size first */
  edges: Array<{
    /** Name of the edge */
    edge: string | null;
    nodeId: Node1.NodeId;
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    displayName: string;
    /** What people call it: of nodes without a name, the kind of thing */
    title: string;
    shallowSize: Node1.Count;
    retainedSize: Node1.Count;
    edgeKind?: Node1.EdgeKind;
  }>;
  /** Edges that lead to it */
  retainerCount: Node1.Count;
  /** The first of them, nearest to the root first */
  retainers: Array<{
    /** Name of the edge */
    edge: string | null;
    nodeId: Node1.NodeId;
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    displayName: string;
    /** What people call it: of nodes without a name, the kind of thing */
    title: string;
    /** Edges on the shortest way from the root; null when there is none */
    distance: number | null;
    edgeKind?: Node1.EdgeKind;
  }>;
  /** With --breakdown: the census of this node alone */
  report?: unknown;
};
export namespace Node1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Node1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Node1 {
  export type Frame = {
    source: string;
    line: Node1.Count;
    column: Node1.Count;
    functionDisplayName: string | null;
  };
}
export namespace Node1 {
  /** what sort of reference; absent where the producer does not say */
  export type EdgeKind = "context" | "element" | "property" | "internal" | "hidden" | "shortcut" | "weak";
}

/** Nodes and the columns asked for: one row per node that was chosen, one cell per column. */
export type Nodes1Document = {
  schema: "ubiheap.nodes/1";
  /** FILE as given; - for standard input */
  file: string;
  /** Nodes that match, with those that are not among the rows */
  matchCount: number;
  columns: Array<"id" | "ordinal" | "typeName" | "coarseType" | "className" | "name" | "displayName" | "rawSize" | "selfSize" | "retainedSize" | "dominator" | "dominatorOrdinal" | "distance" | "detachedness" | "edgeCount" | "retainerCount" | "scriptFilename" | "descriptiveTypeName">;
  rows: Array<Array<number | string | null>>;
};

/** The shortest paths to each node asked for, and the same laid over each other as a graph, in Firefox's shapes. */
export type Paths1Document = {
  schema: "ubiheap.paths/1";
  /** FILE as given; - for standard input */
  file: string;
  /** where all paths start */
  start: Paths1.NodeId;
  /** paths to one node, at most */
  maxPaths: number;
  /** Different nodes asked for, in the order given */
  targets: Array<Paths1.Target>;
};
export namespace Paths1 {
  /** a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Paths1 {
  /** null: the edge has no name; the digits of its number where it has one in place of a name */
  export type EdgeName = string | null;
}
export namespace Paths1 {
  export type Target = {
    target: Paths1.NodeId;
    /** the best label there is: name, else script file, else type */
    displayName: string;
    /** its own size in bytes */
    rawSize: number;
    /** whether the root of the heap leads to it */
    reachable: boolean;
    /** no path by the references that the engine's own tools count: these have others that keep objects alive, too; absent: they have not */
    outside?: true;
    /** with steps: how many steps each path has, given or not */
    lengths?: Array<number>;
    /** shortest first; empty: the start does not lead to it */
    paths: Array<Array<{
      predecessor: Paths1.NodeId;
      edge: Paths1.EdgeName;
      edgeKind?: Paths1.EdgeKind;
      leftOut?: Paths1.LeftOut;
    }>>;
    /** All paths that do not pass through the target, each node and edge once */
    deduplicated: {
      /** the target first */
      nodes: Array<Paths1.NodeId>;
      edges: Array<{
        from: Paths1.NodeId;
        to: Paths1.NodeId;
        name: Paths1.EdgeName;
        edgeKind?: Paths1.EdgeKind;
        leftOut?: Paths1.LeftOut;
      }>;
    };
    /** of deduplicated.nodes, in their order */
    displayNames: Array<string>;
    /** What people call these: of nodes without a name, the kind of thing */
    titles: Array<string>;
  };
}
export namespace Paths1 {
  /** with steps: so many nodes are between the two and not given; then an edge of the graph has no name */
  export type LeftOut = number;
}
export namespace Paths1 {
  /** what sort of reference; absent where the producer does not say */
  export type EdgeKind = "context" | "element" | "property" | "internal" | "hidden" | "shortcut" | "weak";
}

/** What can be asked about a heap, a recording or a timeline with ubi_ask. */
export type Questions1Document = {
  schema: "ubiheap.questions/1";
  questions: Array<Questions1.Question>;
};
export namespace Questions1 {
  export type Question = {
    /** As ubi_ask takes it; also a command */
    name: string;
    /** What it answers, as a sentence */
    question: string;
    summary: string;
    /** What it can be asked about */
    kinds: Array<{
      /** Of the session */
      kind: "heap" | "recording" | "timeline";
      /** Of the document that answers it then */
      schema: string;
    }>;
    leastHeaps: number;
    /** null: any number */
    mostHeaps: number | null;
    parameters: Array<Questions1.Parameter>;
  };
}
export namespace Questions1 {
  export type Parameter = {
    name: string;
    /** node: an id, as a number or a string; nodes: an array of them; breakdown: the name of a preset, or the breakdown itself; heaps: a number, how many of the heaps that are asked about, which are the last ones */
    kind: "boolean" | "string" | "integer" | "choice" | "strings" | "node" | "nodes" | "breakdown" | "heaps";
    help: string;
    required: boolean;
    /** It shapes pages of text; documents are the same without */
    pageOnly: boolean;
    /** In words, apart from integers */
    default?: string | number;
    choices?: Array<string>;
    /** The smallest value */
    least?: number;
  };
}

/** What a program allocated while it was recorded, and where. */
export type Recording1Document = {
  schema: "ubiheap.recording/1";
  /** FILE as given; - for standard input */
  file: string;
  program: string;
  arguments: Array<string>;
  pid: Recording1.Count;
  recorder: string;
  system: string;
  /** ISO 8601 */
  startTime: string | null;
  durationMs: Recording1.Number;
  end: Recording1.End;
  /** every allocation was recorded */
  exact: boolean;
  /** of sampling, at the beginning; 1: exact */
  periodBytes: Recording1.Count;
  /** of an unfinished block at the end, which were ignored */
  tornBytes: Recording1.Count;
  /** The fault in the file and its place; the document has only what comes before it */
  fault: string | null;
  counters: Recording1.Counters;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  /** why the recording is no full account of what is asked about, so that a condition may not be decided by it; none: nothing keeps it from that */
  gaps: Array<{
    kind: "notRecorded" | "givenUp" | "missingFiles" | "replaced" | "outside" | "profile" | "noFrees" | "noEnd" | "lostEvents" | "pausedThroughout" | "stopped" | "paused" | "pausedBefore" | "attached" | "attachedBefore";
    text: string;
  }>;
  /** what the page says first: who did not free what, who has most of the peak, what is temporary, whether what is alive grows; none with --site, and none where nothing was recorded, or frees were not */
  findings: Array<{
    kind: "leaked" | "peak" | "growth" | "temporary" | "mappings";
    text: string;
  }>;
  /** malloc and related functions */
  heap: Recording1.Class;
  /** mmap; not part of the heap */
  mapping: Recording1.Class;
  /** objects of a script engine, which lie in memory of the others */
  object: Recording1.Class;
  /** what --suppress hides of what was not freed, which sums have as well, and lists not; estimates in sampled recordings; null: there were no suppressions */
  suppressed: {
    heap: {
      count: number;
      bytes: number;
    };
    mapping: {
      count: number;
      bytes: number;
    };
    object: {
      count: number;
      bytes: number;
    };
    /** that hide nothing */
    unusedRules: number;
    /** in the order in which they were given */
    rules: Array<{
      /** after leak: */
      pattern: string;
      count: number;
      bytes: number;
    }>;
  } | null;
  /** memory of the process as it was seen from time to time; null: it was not measured */
  resident: {
    peakBytes: Recording1.Count;
    peakTimeMs: Recording1.Number;
    lastBytes: Recording1.Count;
  } | null;
  /** What the resident memory was used for, as it was seen last; null: it was not seen. Of several processes, the sum */
  memoryUse: {
    /** When it was seen, since the process began */
    timeMs: Recording1.Number;
    /** Bytes in RAM: the kernel's Rss */
    residentSize: Recording1.Count;
    /** The same, with a page that n processes have as an n-th: the kernel's Pss */
    proportionalSize: Recording1.Count;
    /** Bytes that are swapped out; they are not resident */
    swappedSize: Recording1.Count;
    /** Of residentSize, what nothing is known of */
    unknownSize: Recording1.Count;
    /** 0: not in the recording */
    mappings: Recording1.Count;
    /** Whether the process's memory could be read; else mappings are judged by names and shapes alone */
    isDivided: boolean;
    /** The largest first; unknown memory last */
    groups: Array<Recording1.MemoryGroup>;
  } | null;
  /** of what was freed; heap; null: frees were not recorded */
  lifetimes: Array<{
    /** null: longer than all others */
    belowMs: number | null;
    /** allocations that were recorded */
    samples: Recording1.Count;
    /** of allocations; an estimate in sampled recordings */
    count: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `count` in exact ones */
    countLow: Recording1.Number;
    /** nor above, if no block has fewer than 16 bytes */
    countHigh: Recording1.Number;
    countError: Recording1.Error;
    bytes: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `bytes` in exact ones */
    bytesLow: Recording1.Number;
    /** nor above */
    bytesHigh: Recording1.Number;
    bytesError: Recording1.Error;
  }> | null;
  /** of allocations; heap; empty buckets are left out */
  sizes: Array<{
    /** and at least half of that; 1: size 0 */
    belowBytes: Recording1.Count;
    /** allocations that were recorded */
    samples: Recording1.Count;
    /** of allocations; an estimate in sampled recordings */
    count: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `count` in exact ones */
    countLow: Recording1.Number;
    /** nor above, if no block has fewer than 16 bytes */
    countHigh: Recording1.Number;
    countError: Recording1.Error;
    bytes: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `bytes` in exact ones */
    bytesLow: Recording1.Number;
    /** nor above */
    bytesHigh: Recording1.Number;
    bytesError: Recording1.Error;
  }>;
  kinds: Array<{
    /** what was called, such as malloc */
    kind: string;
    class: "heap" | "mapping" | "object";
    /** not freed at the end; null: frees were not recorded */
    leaked: Recording1.Estimate | null;
    /** alive when most bytes of the class were; null: frees were not recorded */
    peak: Recording1.Estimate | null;
    /** ever allocated */
    total: Recording1.Estimate;
    /** freed by the next thing that their thread did; only exact recordings know them; null in sampled recordings, and where frees were not recorded */
    temporary: Recording1.Estimate | null;
    /** of a part of the time: alive at its end, also what is older; null: frees were not recorded */
    live?: Recording1.Estimate | null;
  }>;
  /** each process, when several were recorded together and are read as one; else empty */
  processes: Array<{
    pid: number;
    /** 0: the first process */
    parentPid: number;
    /** of the program's file, without folders */
    name: string;
    /** what it was started with (argv[0]), without folders: the name of a link, for example */
    startedAs: string;
    file: string;
    /** allocated on the heap */
    bytes: number;
    /** allocations */
    count: number;
    /** of these bytes, what was not freed */
    leakedBytes: number;
  }>;
  /** files of processes that were recorded with it, and are not there: in no number */
  missingFiles: Array<{
    file: string;
    /** of its program */
    name: string;
  }>;
  /** programs that it or its children started, and that were not recorded */
  started: Array<{
    name: string;
    /** how many times */
    count: number;
    /** why it was not recorded: notFollowed: record without --follow-children; static: linked statically; rights: setuid, setgid or capabilities; environment: started without the recorder's variables; descriptors: it had no file descriptor left; unreached: another root folder or user; memory: no room for the memory that it shares; refused: ubiheap could not take it in; ownAllocator: it has a malloc built in; replaced: the recorded program became it by exec, without --follow-children */
    reason: "notFollowed" | "static" | "rights" | "otherLibrary" | "otherMachine" | "environment" | "descriptors" | "unreached" | "memory" | "refused" | "ownAllocator" | "unknown" | "replaced";
  }>;
  /** those that did something; heap */
  threads: Array<{
    tid: Recording1.Count;
    name: string;
    allocated: Recording1.Estimate;
    /** null: frees were not recorded */
    freed: Recording1.Estimate | null;
    temporary: Recording1.Estimate | null;
  }>;
  /** null: frees were not recorded */
  curve: {
    stepMs: Recording1.Number;
    /** when the step of the first point begins, a multiple of stepMs at or before the window; missing: 0 */
    fromMs?: number;
    /** the most of each step, of all processes that had not ended; heap */
    liveBytes: Array<Recording1.Count>;
    /** what it is not below, in 94 of 100 recordings or more */
    liveBytesLow: Array<Recording1.Number>;
    /** upper limit */
    liveBytesHigh: Array<Recording1.Number>;
    /** standard errors; 0 in exact recordings */
    liveBytesError: Array<Recording1.Number>;
    /** 0: not measured then */
    residentBytes: Array<Recording1.Count>;
  } | null;
  /** timeline markers of the program, and what was allocated while they were open */
  markers: {
    /** records of markers: STARTs, ENDs, timestamps */
    count: Recording1.Count;
    /** most bytes first */
    byName: Array<{
      name: string;
      /** STARTs and timestamps */
      count: Recording1.Count;
      /** STARTs with an END on the same thread */
      endedCount: Recording1.Count;
      /** from these STARTs to their ENDs */
      totalMs: Recording1.Number;
      longestMs: Recording1.Number;
      /** while it was the innermost open marker of the thread; heap */
      allocated: Recording1.Estimate;
      /** of that, not freed at the end; null: frees were not recorded */
      leaked: Recording1.Estimate | null;
    }>;
    /** what was allocated while no marker was open on the thread */
    none: {
      allocated: Recording1.Estimate;
      /** null: frees were not recorded */
      leaked: Recording1.Estimate | null;
    };
  };
  sortedBy: "leaked" | "peak" | "total" | "count" | "temporary" | "live";
  /** places that asked for memory */
  siteCount: Recording1.Count;
  /** --limit of them */
  sites: Array<{
    class: "heap" | "mapping" | "object";
    /** not freed at the end; null: frees were not recorded */
    leaked: Recording1.Estimate | null;
    /** alive when most bytes of the class were; null: frees were not recorded */
    peak: Recording1.Estimate | null;
    /** ever allocated */
    total: Recording1.Estimate;
    /** freed by the next thing that their thread did; only exact recordings know them; null in sampled recordings, and where frees were not recorded */
    temporary: Recording1.Estimate | null;
    /** of a part of the time: alive at its end, also what is older; null: frees were not recorded */
    live?: Recording1.Estimate | null;
    /** stacks that go through it */
    stackCount: Recording1.Count;
    /** what a library keeps there on purpose until the end; null: no known pool */
    pool: string | null;
    /** what stack goes on with inwards: the allocators and wrappers that were left out, innermost first */
    through: Array<Recording1.Place>;
    /** the one with most of it, innermost first, without allocators and wrappers; empty: none was recorded */
    stack: Array<Recording1.Place>;
  }>;
  /** calls that ask for memory in the name of many callers, which are the places; none with --no-wrappers */
  wrappers: Array<Recording1.Place>;
  /** what to install for names and lines that are missing */
  hints: Array<string>;
};
export namespace Recording1 {
  export type Count = number;
}
export namespace Recording1 {
  export type Number = number;
}
export namespace Recording1 {
  export type Estimate = {
    /** allocations that were recorded */
    samples: Recording1.Count;
    /** of allocations; an estimate in sampled recordings */
    count: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `count` in exact ones */
    countLow: Recording1.Number;
    /** nor above, if no block has fewer than 16 bytes */
    countHigh: Recording1.Number;
    countError: Recording1.Error;
    bytes: Recording1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `bytes` in exact ones */
    bytesLow: Recording1.Number;
    /** nor above */
    bytesHigh: Recording1.Number;
    bytesError: Recording1.Error;
  };
}
export namespace Recording1 {
  export type Class = {
    /** not freed at the end; null: frees were not recorded */
    leaked: Recording1.Estimate | null;
    /** alive when most bytes of the class were; null: frees were not recorded */
    peak: Recording1.Estimate | null;
    /** ever allocated */
    total: Recording1.Estimate;
    /** freed by the next thing that their thread did; only exact recordings know them; null in sampled recordings, and where frees were not recorded */
    temporary: Recording1.Estimate | null;
    /** of a part of the time: alive at its end, also what is older; null: frees were not recorded */
    live?: Recording1.Estimate | null;
    /** of `leaked`, what libraries keep on purpose until the end; of the heap alone; missing where frees were not recorded */
    pools?: Recording1.Estimate;
    /** null: frees were not recorded */
    peakTimeMs: Recording1.Number | null;
  };
}
export namespace Recording1 {
  export type Place = {
    /** empty: not known */
    function: string;
    /** empty: not known */
    file: string;
    /** 0: not known */
    line: Recording1.Count;
    /** 0: not known */
    column: Recording1.Count;
    /** its code stands in the function that comes next */
    inlined: boolean;
    /** program or library; empty for scripts */
    module: string;
    /** of the return, in the module; as digits when a double cannot hold it; null for scripts and labels */
    address: number | string | null;
  };
}
export namespace Recording1 {
  export type End = null | {
    reason: "exited" | "killed" | "stopped" | "replaced" | "ended";
    /** exit status or signal; 1 with stopped: the program gave the recorder up */
    value: Recording1.Count;
  };
}
export namespace Recording1 {
  /** what the recorder could not do; all 0 in a complete recording */
  export type Counters = {
    dropped: Recording1.Count | null;
    reentrant: Recording1.Count;
    unknownFrees: Recording1.Count;
    unwindFailures: Recording1.Count;
    truncatedStacks: Recording1.Count;
    reusedAddresses: Recording1.Count;
    /** times that RTLD_DEEPBIND was taken away from dlopen */
    deepBinds: Recording1.Count;
    /** calls of dlmopen for another namespace, of which nothing is seen */
    namespaces: Recording1.Count;
    /** timeline markers among dropped and reentrant */
    lostMarkers: Recording1.Count;
    /** processes that were to be recorded and could not be: started says which, and why */
    notRecorded: Recording1.Count;
    /** calls that were under way when the program ended: none of them had come back to it */
    unfinished: Recording1.Count;
    /** files of other processes that these files name */
    companions: Recording1.Count;
    /** frees by children of fork of blocks that their parents had allocated */
    inheritedFrees: Recording1.Count;
    doubleFrees: Recording1.Count;
    /** 1: frees were not recorded, so that leaks, the peak and what is temporary are unknown */
    withoutFrees: Recording1.Count;
    /** 1: the process ran already when recording began, and what it had allocated by then is unknown */
    attached: Recording1.Count;
    /** milliseconds in which allocations were not recorded, as was wanted */
    pausedMs: Recording1.Count;
  };
}
export namespace Recording1 {
  /** standard error; 0 in exact recordings, null when nothing was sampled */
  export type Error = number | null;
}
export namespace Recording1 {
  export type MemoryGroup = {
    group: "malloc" | "javascript" | "python" | "java" | "stacks" | "files" | "others" | "unknown";
    /** Bytes in RAM: the kernel's Rss */
    residentSize: Recording1.Count;
    /** The same, with a page that n processes have as an n-th: the kernel's Pss */
    proportionalSize: Recording1.Count;
    /** Bytes that are swapped out; they are not resident */
    swappedSize: Recording1.Count;
    /** The largest first */
    rows: Array<Recording1.MemoryRow>;
  };
}
export namespace Recording1 {
  export type MemoryRow = {
    /** blocks: given to the program by the allocator, with their headers; cached: freed, kept by a thread; free: between blocks and after them; freePages: whole pages that another allocator than glibc's keeps; overhead: its own tables; allocator: of an allocator, not divided */
    kind: "blocks" | "cached" | "free" | "allocator" | "scripts" | "objects" | "objectsFree" | "heap" | "code" | "tables" | "mainStack" | "stacks" | "file" | "shared" | "system" | "named" | "unknown" | "freePages" | "overhead";
    /** Of a file, an allocator, an engine, or the kernel's name of a mapping */
    name: string | null;
    /** Bytes in RAM: the kernel's Rss */
    residentSize: Recording1.Count;
    /** The same, with a page that n processes have as an n-th: the kernel's Pss */
    proportionalSize: Recording1.Count;
    /** Bytes that are swapped out; they are not resident */
    swappedSize: Recording1.Count;
  };
}

/** Functions by what they asked for. */
export type RecordingAllocations1Document = {
  schema: "ubiheap.recording-allocations/1";
  /** FILE as given; - for standard input */
  file: string;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  exact: boolean;
  class: "heap" | "mapping" | "object";
  sortedBy: "leaked" | "peak" | "total" | "count" | "temporary" | "live";
  sortedWithCallees: boolean;
  functionCount: number;
  functions: Array<{
    /** empty: not known */
    function: string;
    file: string;
    module: string;
    /** of a frame without a name, in its module; null: it has a name */
    address: number | string | null;
    /** what keeps all that it asks for itself on purpose until the process ends, such as "libc's locales and translations"; null: nothing does */
    pool: string | null;
    own: RecordingAllocations1.Measures;
    withCallees: RecordingAllocations1.Measures;
    /** with --callers: who called it when it asked for memory itself, with the part that each accounts for */
    callers?: Array<{
      /** the number of the row that it called; null: the function itself */
      calls: number | null;
      /** empty: not known */
      function: string;
      file: string;
      module: string;
      /** of a frame without a name, in its module; null: it has a name */
      address: number | string | null;
      /** null: frees were not recorded */
      leaked: RecordingAllocations1.Estimate | null;
      /** null: frees were not recorded */
      peak: RecordingAllocations1.Estimate | null;
      total: RecordingAllocations1.Estimate;
      /** of a part of the time: alive at its end, also what is older; null: frees were not recorded */
      live?: RecordingAllocations1.Estimate | null;
    }>;
  }>;
};
export namespace RecordingAllocations1 {
  /** an estimate, and the limits between which the true value lies in 94 of 100 recordings or more; the sum itself in exact recordings */
  export type Estimate = {
    samples: number;
    count: number;
    countLow: number;
    countHigh: number;
    countError: number | null;
    bytes: number;
    bytesLow: number;
    bytesHigh: number;
    bytesError: number | null;
  };
}
export namespace RecordingAllocations1 {
  export type Measures = {
    /** null: frees were not recorded */
    leaked: RecordingAllocations1.Estimate | null;
    /** null: frees were not recorded */
    peak: RecordingAllocations1.Estimate | null;
    total: RecordingAllocations1.Estimate;
    /** of a part of the time: alive at its end, also what is older; null: frees were not recorded */
    live?: RecordingAllocations1.Estimate | null;
  };
}

/** What of a program was alive by time, and the places that had most of it. */
export type RecordingCurve1Document = {
  schema: "ubiheap.recording-curve/1";
  /** FILE as given; - for standard input */
  file: string;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  exact: boolean;
  class: "heap" | "mapping" | "object";
  /** what sites are the first of */
  sortedBy: "leaked" | "peak" | "total" | "count" | "temporary" | "live";
  /** when the first point begins */
  fromMs: number;
  /** of each point */
  stepMs: number;
  /** of each point, what was alive when most was in that time, or when it began */
  liveBytes: Array<number>;
  sites: Array<{
    /** null: what has no stack */
    place: RecordingCurve1.Place | null;
    mostBytes: number;
    /** what it had at the same moments: part of the liveBytes of all */
    liveBytes: Array<number>;
  }>;
};
export namespace RecordingCurve1 {
  export type Count = number;
}
export namespace RecordingCurve1 {
  export type Number = number;
}
export namespace RecordingCurve1 {
  export type Place = {
    /** empty: not known */
    function: string;
    /** empty: not known */
    file: string;
    /** 0: not known */
    line: RecordingCurve1.Count;
    /** 0: not known */
    column: RecordingCurve1.Count;
    /** its code stands in the function that comes next */
    inlined: boolean;
    /** program or library; empty for scripts */
    module: string;
    /** of the return, in the module; as digits when a double cannot hold it; null for scripts and labels */
    address: number | string | null;
  };
}

/** What changed between two recordings, by the names of functions. */
export type RecordingDiff1Document = {
  schema: "ubiheap.recording-diff/1";
  old: {
    /** as given */
    file: string;
    program: string;
    durationMs: RecordingDiff1.Number;
    /** every allocation was recorded */
    exact: boolean;
    /** false: the file was cut, or the recorder was killed or still writes */
    hasEnd: boolean;
    /** of the class, not freed at the end; null: unknown */
    leaked: RecordingDiff1.Estimate | null;
    peak: RecordingDiff1.Estimate | null;
    total: RecordingDiff1.Estimate;
    temporary: RecordingDiff1.Estimate | null;
    /** what --suppress hides of what was not freed, which sums have as well, and lists not; estimates in sampled recordings; null: there were no suppressions */
    suppressed: {
      heap: {
        count: number;
        bytes: number;
      };
      mapping: {
        count: number;
        bytes: number;
      };
      object: {
        count: number;
        bytes: number;
      };
      /** that hide nothing */
      unusedRules: number;
      /** in the order in which they were given */
      rules: Array<{
        /** after leak: */
        pattern: string;
        count: number;
        bytes: number;
      }>;
    } | null;
  };
  new: {
    /** as given */
    file: string;
    program: string;
    durationMs: RecordingDiff1.Number;
    /** every allocation was recorded */
    exact: boolean;
    /** false: the file was cut, or the recorder was killed or still writes */
    hasEnd: boolean;
    /** of the class, not freed at the end; null: unknown */
    leaked: RecordingDiff1.Estimate | null;
    peak: RecordingDiff1.Estimate | null;
    total: RecordingDiff1.Estimate;
    temporary: RecordingDiff1.Estimate | null;
    /** what --suppress hides of what was not freed, which sums have as well, and lists not; estimates in sampled recordings; null: there were no suppressions */
    suppressed: {
      heap: {
        count: number;
        bytes: number;
      };
      mapping: {
        count: number;
        bytes: number;
      };
      object: {
        count: number;
        bytes: number;
      };
      /** that hide nothing */
      unusedRules: number;
      /** in the order in which they were given */
      rules: Array<{
        /** after leak: */
        pattern: string;
        count: number;
        bytes: number;
      }>;
    } | null;
  };
  /** of the allocations */
  class: "heap" | "mapping" | "object";
  /** what places are compared by */
  by: "leaked" | "peak" | "total" | "count" | "temporary";
  unit: "bytes" | "allocations";
  /** null: of the whole recordings */
  per: "second" | "allocation" | null;
  placeCount: RecordingDiff1.Count;
  /** all of either, changed or not, in the order of --sort */
  places: Array<{
    /** by which places of both are the same; without what compilers add to copies of a function */
    function: string;
    /** in NEW, or else in OLD */
    file: string | null;
    line: number | null;
    module: string | null;
    /** of what `by` and `per` say, from OLD to NEW */
    growth: number;
    /** false: sampling explains the difference */
    certain: boolean;
    /** of the measure of `by`; not divided by what `per` says */
    old: RecordingDiff1.Estimate;
    new: RecordingDiff1.Estimate;
    stackCount: RecordingDiff1.Count;
    /** that changed most, up or down */
    stacks: Array<{
      old: RecordingDiff1.Count;
      new: RecordingDiff1.Count;
      /** the innermost first; 128 at most */
      functions: Array<string>;
    }>;
  }>;
};
export namespace RecordingDiff1 {
  export type Count = number;
}
export namespace RecordingDiff1 {
  export type Number = number;
}
export namespace RecordingDiff1 {
  /** standard error; 0 in exact recordings, null when nothing was sampled */
  export type Error = number | null;
}
export namespace RecordingDiff1 {
  export type Estimate = {
    /** allocations that were recorded */
    samples: RecordingDiff1.Count;
    /** of allocations; an estimate in sampled recordings */
    count: RecordingDiff1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `count` in exact ones */
    countLow: RecordingDiff1.Number;
    /** nor above, if no block has fewer than 16 bytes */
    countHigh: RecordingDiff1.Number;
    countError: RecordingDiff1.Error;
    bytes: RecordingDiff1.Number;
    /** lower limit of the true value, in 94 of 100 recordings or more; `bytes` in exact ones */
    bytesLow: RecordingDiff1.Number;
    /** nor above */
    bytesHigh: RecordingDiff1.Number;
    bytesError: RecordingDiff1.Error;
  };
}

/** What a program allocated, by file, module, thread, kind, size or lifetime. */
export type RecordingGroups1Document = {
  schema: "ubiheap.recording-groups/1";
  /** FILE as given; - for standard input */
  file: string;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  exact: boolean;
  group: "file" | "module" | "thread" | "kind" | "size" | "lifetime";
  /** null: sizes and lifetimes ascend */
  sortedBy: "leaked" | "peak" | "total" | "count" | "temporary" | "live" | null;
  groupCount: number;
  groups: Array<{
    /** of a file, module, thread or kind */
    name?: string;
    /** of a thread, in the system */
    tid?: number;
    /** of a kind */
    class?: "heap" | "mapping" | "object";
    /** of sizes: at least half of that, but for 1, which is size 0 */
    belowBytes?: number;
    /** of lifetimes: not in a row before; null: longer, or not freed */
    belowMs?: number | null;
    /** of lifetimes: what has none yet */
    notFreed?: boolean;
    /** not freed at the end; null: frees were not recorded */
    leaked?: RecordingGroups1.Estimate | null;
    /** alive when most bytes of the class were */
    peak?: RecordingGroups1.Estimate | null;
    total: RecordingGroups1.Estimate;
    /** freed by the next thing that their thread did; null in sampled recordings */
    temporary?: RecordingGroups1.Estimate | null;
    /** of a part of the time: alive at its end, also what is older */
    live?: RecordingGroups1.Estimate | null;
    /** of files and modules: with what was called from there */
    withCallees?: {
      /** not freed at the end; null: frees were not recorded */
      leaked: RecordingGroups1.Estimate | null;
      /** alive when most bytes of the class were */
      peak: RecordingGroups1.Estimate | null;
      total: RecordingGroups1.Estimate;
      /** freed by the next thing that their thread did; null in sampled recordings */
      temporary: RecordingGroups1.Estimate | null;
      /** of a part of the time: alive at its end, also what is older */
      live?: RecordingGroups1.Estimate | null;
    };
  }>;
};
export namespace RecordingGroups1 {
  /** an estimate, and the limits between which the true value lies in 94 of 100 recordings or more; the sum itself in exact recordings */
  export type Estimate = {
    samples: number;
    count: number;
    countLow: number;
    countHigh: number;
    countError: number | null;
    bytes: number;
    bytesLow: number;
    bytesHigh: number;
    bytesError: number | null;
  };
}

/** What a recording of allocations carries. */
export type RecordingInfo1Document = {
  schema: "ubiheap.recording-info/1";
  /** FILE as given; - for standard input */
  file: string;
  format: "ubirec" | "heapprofile";
  inputBytes: RecordingInfo1.Count;
  blockCount: RecordingInfo1.Count;
  program: string;
  arguments: Array<string>;
  pid: RecordingInfo1.Count;
  recorder: string;
  system: string;
  /** ISO 8601 */
  startTime: string | null;
  durationMs: RecordingInfo1.Number;
  end: RecordingInfo1.End;
  /** every allocation was recorded */
  exact: boolean;
  /** of sampling, at the beginning; 1: exact */
  periodBytes: RecordingInfo1.Count;
  /** of an unfinished block at the end, which were ignored */
  tornBytes: RecordingInfo1.Count;
  /** The fault in the file and its place; the document has only what comes before it */
  fault: string | null;
  counters: RecordingInfo1.Counters;
  /** each process, when several were recorded together: numbers are of all of them; else empty */
  processes: Array<{
    pid: RecordingInfo1.Count;
    /** 0: the first process */
    parentPid: RecordingInfo1.Count;
    /** of the program's file, without folders */
    name: string;
    /** what it was started with (argv[0]), without folders: the name of a link, for example */
    startedAs: string;
    file: string;
  }>;
  /** files of processes that were recorded with it, and are not there */
  missingFileCount: RecordingInfo1.Count;
  allocationCount: RecordingInfo1.Count;
  freeCount: RecordingInfo1.Count;
  threadCount: RecordingInfo1.Count;
  moduleCount: RecordingInfo1.Count;
  frameCount: RecordingInfo1.Count;
  traceCount: RecordingInfo1.Count;
  markerCount: RecordingInfo1.Count;
};
export namespace RecordingInfo1 {
  export type Count = number;
}
export namespace RecordingInfo1 {
  export type Number = number;
}
export namespace RecordingInfo1 {
  export type End = null | {
    reason: "exited" | "killed" | "stopped" | "replaced" | "ended";
    /** exit status or signal; 1 with stopped: the program gave the recorder up */
    value: RecordingInfo1.Count;
  };
}
export namespace RecordingInfo1 {
  /** what the recorder could not do; all 0 in a complete recording */
  export type Counters = {
    dropped: RecordingInfo1.Count | null;
    reentrant: RecordingInfo1.Count;
    unknownFrees: RecordingInfo1.Count;
    unwindFailures: RecordingInfo1.Count;
    truncatedStacks: RecordingInfo1.Count;
    reusedAddresses: RecordingInfo1.Count;
    /** times that RTLD_DEEPBIND was taken away from dlopen */
    deepBinds: RecordingInfo1.Count;
    /** calls of dlmopen for another namespace, of which nothing is seen */
    namespaces: RecordingInfo1.Count;
    /** timeline markers among dropped and reentrant */
    lostMarkers: RecordingInfo1.Count;
    /** processes that were to be recorded and could not be: started says which, and why */
    notRecorded: RecordingInfo1.Count;
    /** calls that were under way when the program ended: none of them had come back to it */
    unfinished: RecordingInfo1.Count;
    /** files of other processes that these files name */
    companions: RecordingInfo1.Count;
    /** frees by children of fork of blocks that their parents had allocated */
    inheritedFrees: RecordingInfo1.Count;
    doubleFrees: RecordingInfo1.Count;
    /** 1: frees were not recorded, so that leaks, the peak and what is temporary are unknown */
    withoutFrees: RecordingInfo1.Count;
    /** 1: the process ran already when recording began, and what it had allocated by then is unknown */
    attached: RecordingInfo1.Count;
    /** milliseconds in which allocations were not recorded, as was wanted */
    pausedMs: RecordingInfo1.Count;
  };
}

/** Places in the code that asked for memory. */
export type RecordingSites1Document = {
  schema: "ubiheap.recording-sites/1";
  /** FILE as given; - for standard input */
  file: string;
  /** the part of the time that was asked for; of the whole recording, this is missing */
  window?: {
    /** one moment: what happened up to then */
    atMs?: number;
    fromMs?: number;
    /** what happened then is not part of it; null: up to the end */
    toMs?: number | null;
  };
  sites: Array<{
    leaked?: number | null;
    leakedError?: number | null;
    leakedLow?: number | null;
    leakedHigh?: number | null;
    leakedCount?: number | null;
    leakedCountError?: number | null;
    leakedCountLow?: number | null;
    leakedCountHigh?: number | null;
    peak?: number | null;
    peakError?: number | null;
    peakLow?: number | null;
    peakHigh?: number | null;
    peakCount?: number | null;
    peakCountError?: number | null;
    peakCountLow?: number | null;
    peakCountHigh?: number | null;
    total?: RecordingSites1.Number;
    totalError?: number | null;
    totalLow?: number;
    totalHigh?: number;
    count?: RecordingSites1.Number;
    countError?: number | null;
    countLow?: number;
    countHigh?: number;
    samples?: RecordingSites1.Number;
    temporary?: number | null;
    temporaryError?: number | null;
    live?: number | null;
    liveError?: number | null;
    liveLow?: number | null;
    liveHigh?: number | null;
    liveCount?: number | null;
    class?: string;
    function?: string;
    file?: string;
    line?: RecordingSites1.Number;
    module?: string;
    address?: RecordingSites1.Number;
    stackCount?: RecordingSites1.Number;
    stack?: string;
    through?: string;
    pool?: string;
  }>;
};
export namespace RecordingSites1 {
  export type Number = number;
}

/** What was allocated and freed, as Mozilla's memory profiler has it; with --format tables, without the first two members. */
export type RecordingTables1Document = {
  schema: "ubiheap.recording-tables/1";
  /** FILE as given; - for standard input */
  file: string;
  /** functions with their positions; the first is (unknown) */
  names: Array<string>;
  /** a name and the trace that called it; the first is no stack at all, and its own caller */
  traces: Array<{
    nameIdx: number;
    parentIdx: number;
  }>;
  /** in the order of time */
  events: Array<{
    /** bytes that it stands for; negative: they were freed */
    size: number;
    /** of the allocation, also of a free */
    traceIdx: number;
    /** milliseconds since the process began */
    timestamp: number;
    /** extended: its number; a free has that of what it ends */
    allocation?: number;
    /** extended: that were asked for */
    bytes?: number;
    /** extended: the function or class */
    kind?: string;
    /** extended: the thread's id */
    thread?: number;
  }>;
};

/** What fills a heap, and what looks odd. */
export type Report1Document = {
  schema: "ubiheap.report/1";
  /** FILE as given; - for standard input */
  file: string;
  producer: string | null;
  /** Microseconds since 1970 UTC; null when the file does not say */
  creationTimeUs: number | null;
  nodeCount: Report1.Count;
  edgeCount: Report1.Count;
  /** All that can be reached, and what the producer counts beside its nodes */
  totalSize: Report1.Count;
  /** What can be reached from the root, the root included */
  reachable: Report1.Tally;
  nodesWithStack: Report1.Count;
  coarseTypes: {
    objects: Report1.Tally;
    scripts: Report1.Tally;
    strings: Report1.Tally;
    other: Report1.Tally;
    domNode: Report1.Tally;
  };
  /** The largest kinds of things, largest first */
  kinds: Array<{
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    displayName: string;
    count: Report1.Count;
    bytes: Report1.Count;
  }>;
  /** Findings that there are; fewer may be listed */
  findingCount: Report1.Count;
  /** What looks odd: what can be won first, the most of it first; then the rest, the most important first */
  findings: Array<{
    rule: "endedEarly" | "duplicateStrings" | "deadEntries" | "package" | "pendingPromises" | "unmountedFibers" | "growingCollection" | "sparseStorage" | "emptyCollections" | "detachedDom" | "closureContext" | "unreadVariable" | "timers" | "eventListeners" | "emitterListeners" | "arrayBuffers" | "longStrings" | "outsideMemory" | "largeNode" | "dominatingKind" | "unreachable" | "wideNode" | "manyDocuments" | "crowd";
    /** What it is about, in a few words, such as duplicate strings */
    title?: string;
    /** What holds the example, where it has a name: variable cache of handler() (server.js:12) */
    heldBy?: string;
    text: string;
    /** What mending it could free, at most; missing: nothing, or nobody can say */
    bytes?: Report1.Count;
    /** Of the things it is about */
    count?: Report1.Count;
    /** an example */
    nodeId?: Report1.NodeId;
    /** Where the path leads to: something that the example keeps alive; missing: to the example itself */
    pathTo?: Report1.NodeId;
    /** The shortest way there in words; missing: nothing leads to it */
    pathText?: string;
    /** With --detail: the shortest way there, from the root on */
    path?: Array<{
      predecessor: Report1.NodeId;
      edge: string | null;
    }>;
  }>;
  /** How many of keepers are shown where room is short, as in the text and on the start page: the first */
  keepersShown?: number;
  /** The nodes that explain who holds the heap: those with the largest exclusiveSize, the program's before Node's own before the engine's, of each those first that retain most; those that are in long lists only behind the others */
  keepers: Array<{
    nodeId: Report1.NodeId;
    coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
    displayName: string;
    shallowSize: Report1.Count;
    retainedSize: Report1.Count;
    /** Of retainedSize, what no keeper or other large node below explains */
    exclusiveSize: Report1.Count;
    /** Nodes kept alive, itself not counted */
    retainedCount: Report1.Count;
    /** The kind that most of it is; null: nothing but itself */
    held: null | {
      coarseType: "Other" | "Object" | "Script" | "String" | "DOMNode";
      displayName: string;
      count: Report1.Count;
      retainedSize: Report1.Count;
    };
    /** With --detail: the shortest way to it, from the root on */
    path?: Array<{
      predecessor: Report1.NodeId;
      edge: string | null;
    }>;
    /** The shortest way to it in words; missing: nothing leads to it */
    pathText?: string;
  }>;
  /** The functions that allocated most; frame is the place in the function with the most bytes */
  allocatedBy: Array<{
    frame: Report1.Frame;
    count: Report1.Count;
    bytes: Report1.Count;
  }>;
  /** Names and sentences that were cut, which end with an ellipsis */
  namesCut: Report1.Count;
  /** --detail was given: nothing was left out or cut */
  detail: boolean;
};
export namespace Report1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Report1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Report1 {
  export type Tally = {
    count: Report1.Count;
    bytes: Report1.Count;
  };
}
export namespace Report1 {
  export type Frame = {
    source: string;
    line: Report1.Count;
    column: Report1.Count;
    functionDisplayName: string | null;
  };
}

/** Who refers to a node, and who refers to those. */
export type Retainers1Document = {
  schema: "ubiheap.retainers/1";
  /** FILE as given; - for standard input */
  file: string;
  nodeId: Retainers1.NodeId;
  /** what the lens calls this one node */
  displayName: string;
  /** its class, as the lens groups nodes */
  className: string;
  shallowSize: Retainers1.Count;
  retainedSize: Retainers1.Count;
  /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
  distance: Retainers1.Count | null;
  /** 0 not known, 1 in a document, 2 detached from it */
  detachedness: 0 | 1 | 2;
  /** --ignore */
  ignored: Array<Retainers1.NodeId>;
  /** whether it is within reach without what is ignored */
  keptAlive: boolean;
  /** edges that lead to the node */
  retainerCount: Retainers1.Count;
  /** nearest to the root first, up to --limit */
  retainers: Array<Retainers1.Retainer>;
  /** which limits left something out */
  limitsReached: {
    depth: boolean;
    siblings: boolean;
    nodes: boolean;
  };
  /** its immediate dominator, that one's, and so on up to the root */
  dominators: Array<Retainers1.Node>;
};
export namespace Retainers1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Retainers1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Retainers1 {
  /** what sort of reference; absent where the producer does not say */
  export type EdgeKind = "context" | "element" | "property" | "internal" | "hidden" | "shortcut" | "weak";
}
export namespace Retainers1 {
  export type Node = {
    nodeId: Retainers1.NodeId;
    /** what the lens calls this one node */
    displayName: string;
    /** its class, as the lens groups nodes */
    className: string;
    shallowSize: Retainers1.Count;
    retainedSize: Retainers1.Count;
    /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
    distance: Retainers1.Count | null;
    /** 0 not known, 1 in a document, 2 detached from it */
    detachedness: 0 | 1 | 2;
  };
}
export namespace Retainers1 {
  /** An edge and the node that it leaves; distance null: not within reach without what is ignored */
  export type Retainer = {
    /** Name or number of the edge; null: it has none */
    edge: string | null;
    edgeKind?: Retainers1.EdgeKind;
    nodeId: Retainers1.NodeId;
    /** what the lens calls this one node */
    displayName: string;
    /** its class, as the lens groups nodes */
    className: string;
    shallowSize: Retainers1.Count;
    retainedSize: Retainers1.Count;
    /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
    distance: Retainers1.Count | null;
    /** 0 not known, 1 in a document, 2 detached from it */
    detachedness: 0 | 1 | 2;
    ignored?: true;
    /** the node stands further down on the way, or is the one asked for: the way ends here */
    circular?: true;
    /** edges that lead to the node */
    retainerCount?: Retainers1.Count;
    /** nearest to the root first, up to --limit */
    retainers?: Array<Retainers1.Retainer>;
  };
}

/** What can be asked for. */
export type Routes1Document = {
  schema: "ubiheap.routes/1";
  /** Of ubiheap */
  version: string;
  routes: Array<{
    method: string;
    /** With {names} */
    path: string;
    /** Names in the query */
    query?: string;
    /** Schema or media type */
    answer: string;
    summary: string;
  }>;
};

/** What the resident memory of a process is used for. Rows add up to their group, and groups to the whole. */
export type Rss1Document = {
  schema: "ubiheap.rss/1";
  pid: number;
  /** The process's name, as the kernel has it: its first 15 bytes */
  name: string;
  /** Bytes in RAM: the kernel's Rss */
  residentSize: Rss1.Size;
  /** The same, with a page that n processes have as an n-th: the kernel's Pss */
  proportionalSize: Rss1.Size;
  /** Bytes that are swapped out; they are not resident */
  swappedSize: Rss1.Size;
  /** Of residentSize, what nothing is known of */
  unknownSize: Rss1.Size;
  /** How many */
  mappings: Rss1.Size;
  /** Whether the process's memory could be read; else mappings are judged by names and shapes alone */
  isDivided: boolean;
  /** The largest first; unknown memory last */
  groups: Array<Rss1.Group>;
};
export namespace Rss1 {
  export type Size = number;
}
export namespace Rss1 {
  export type Group = {
    group: "malloc" | "javascript" | "python" | "java" | "stacks" | "files" | "others" | "unknown";
    /** Bytes in RAM: the kernel's Rss */
    residentSize: Rss1.Size;
    /** The same, with a page that n processes have as an n-th: the kernel's Pss */
    proportionalSize: Rss1.Size;
    /** Bytes that are swapped out; they are not resident */
    swappedSize: Rss1.Size;
    /** The largest first */
    rows: Array<Rss1.Row>;
  };
}
export namespace Rss1 {
  export type Row = {
    /** blocks: given to the program by the allocator, with their headers; cached: freed, kept by a thread; free: between blocks and after them; freePages: whole pages that another allocator than glibc's keeps; overhead: its own tables; allocator: of an allocator, not divided */
    kind: "blocks" | "cached" | "free" | "allocator" | "scripts" | "objects" | "objectsFree" | "heap" | "code" | "tables" | "mainStack" | "stacks" | "file" | "shared" | "system" | "named" | "unknown" | "freePages" | "overhead";
    /** Of a file, an allocator, an engine, or the kernel's name of a mapping */
    name: string | null;
    /** Bytes in RAM: the kernel's Rss */
    residentSize: Rss1.Size;
    /** The same, with a page that n processes have as an n-th: the kernel's Pss */
    proportionalSize: Rss1.Size;
    /** Bytes that are swapped out; they are not resident */
    swappedSize: Rss1.Size;
  };
}

/** What a run came to: how the script ended, which snapshots were written, and with --census-at exit the report of takeCensus, or with --tree, --inverted or --filter its tree. */
export type Run1Document = {
  schema: "ubiheap.run/1";
  /** SCRIPT as given; - for standard input */
  file: string;
  /** What the script ended with: the tool's own is 4 when that is 0 and something could not be written */
  exitCode: number;
  /** In the order in which they were taken */
  snapshots: Array<Run1.Snapshot>;
  /** With --timeline */
  timeline?: {
    file: string;
    /** Rows in the file */
    markers: Run1.Count;
    /** Markers that found no room */
    lost: Run1.Count;
  };
  /** With --allocation-log */
  allocationLog?: {
    file: string;
    entries: Run1.Count;
    /** Some allocations are missing */
    lost: boolean;
  };
  /** The breakdown of the census */
  breakdown?: unknown;
  report?: Run1.Report;
  tree?: Run1.TreeNode;
};
export namespace Run1 {
  export type Snapshot = {
    file: string;
    /** What set it off */
    trigger: "exit" | "signal" | "gc" | "interval" | "oom" | "command";
    /** 0: the main program; else the number of the worker */
    worker: number;
    nodeCount: Run1.Count;
    edgeCount: Run1.Count;
    fileSize: Run1.Count;
  };
}
export namespace Run1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Run1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Run1 {
  export type Frame = {
    source: string;
    line: Run1.Count;
    column: Run1.Count;
    functionDisplayName: string | null;
  };
}
export namespace Run1 {
  /** A report of takeCensus. Its shape follows the breakdown. */
  export type Report = {
    count?: Run1.Count;
    bytes?: Run1.Count;
    label?: string;
  } | Array<Run1.NodeId> | {
    [name: string]: Run1.Report;
  } | Array<Run1.StackEntry> | Array<Run1.Report>;
}
export namespace Run1 {
  export type StackEntry = {
    stack: "noStack" | null | Array<Run1.Frame>;
    report: Run1.Report;
  };
}
export namespace Run1 {
  /** A node of a census tree, as Firefox's memory panel has it */
  export type TreeNode = {
    name: null | string | Run1.Frame;
    bytes: number;
    totalBytes: number;
    count: number;
    totalCount: number;
    id: number;
    parent?: number;
    /** Which parts of the report the node shows; a list where inversion merged several */
    reportLeafIndex?: number | Array<number>;
    children?: Array<Run1.TreeNode>;
  };
}

/** Nodes found by name, in file order. */
export type Search1Document = {
  schema: "ubiheap.search/1";
  /** FILE as given; - for standard input */
  file: string;
  /** how many were found */
  count: Search1.Count;
  /** the first of them, up to --limit */
  nodes: Array<Search1.Node>;
};
export namespace Search1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Search1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Search1 {
  export type Node = {
    nodeId: Search1.NodeId;
    /** what the lens calls this one node */
    displayName: string;
    /** its class, as the lens groups nodes */
    className: string;
    shallowSize: Search1.Count;
    retainedSize: Search1.Count;
    /** from the root as the lens counts; from 100000000 on: only the engine's own roots reach it; null: nothing does */
    distance: Search1.Count | null;
    /** 0 not known, 1 in a document, 2 detached from it */
    detachedness: 0 | 1 | 2;
  };
}

/** What is printed when it serves. */
export type Serve1Document = {
  schema: "ubiheap.serve/1";
  /** The address, with the token */
  url: string;
  port: number;
};

/** Of what a heap consists. */
export type Statistics1Document = {
  schema: "ubiheap.statistics/1";
  /** FILE as given; - for standard input */
  file: string;
  /** Whose view of the heap this is: v8, firefox, plain */
  lens: string;
  /** Bytes of all parts */
  totalSize: Statistics1.Count;
  /** Of them outside of the JavaScript heap; 0 where unknown */
  nativeSize: Statistics1.Count;
  /** They add up to totalSize */
  parts: Array<Statistics1.Part>;
  /** V8's, in file order; empty for other producers */
  nativeContexts: Array<Statistics1.NativeContext>;
  /** Sizes of nodes that several native contexts have */
  sharedSize: Statistics1.Count;
  /** Sizes of nodes that no native context has */
  noAttributionSize: Statistics1.Count;
};
export namespace Statistics1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Statistics1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Statistics1 {
  export type Part = {
    /** For scripts. V8: code, strings, jsArrays, typedArrays, system, otherJS, otherNonJS; others: objects, scripts, strings, domNodes, other */
    name: string;
    /** In the tool's own words */
    title: string;
    /** Bytes */
    size: Statistics1.Count;
    /** Nodes with a size */
    count: Statistics1.Count;
  };
}
export namespace Statistics1 {
  export type NativeContext = {
    id: Statistics1.NodeId;
    name: string;
    /** Sizes of the nodes that belong to it alone */
    attributedSize: Statistics1.Count;
    /** Its own size */
    selfSize: Statistics1.Count;
    /** Bytes that would be freed with its node */
    retainedSize: Statistics1.Count;
  };
}

/** The texts of a heap's strings, and which are there more than once. */
export type Strings1Document = {
  schema: "ubiheap.strings/1";
  /** FILE as given; - for standard input */
  file: string;
  /** false: the file has no texts of strings, and no rows */
  textsKnown: boolean;
  /** Strings with a size, chosen by --where, with and without a text */
  all: Strings1.Tally;
  /** Those whose text is known and long enough */
  withText: Strings1.Tally;
  /** Parts of other strings, which have no text of their own */
  slices: Strings1.Tally;
  /** Strings of texts that are there more than once */
  duplicates: Strings1.Tally;
  /** Different texts */
  textCount: Strings1.Count;
  /** Texts that are there more than once */
  duplicateTextCount: Strings1.Count;
  /** What one copy of each text would save */
  wastedSize: Strings1.Count;
  /** Strings by length in UTF-16 units: from this one up to the next entry's */
  lengths: Array<{
    from: Strings1.Count;
    count: Strings1.Count;
    bytes: Strings1.Count;
  }>;
  /** Texts that were asked for; those behind --limit are left out of strings */
  found: Strings1.Count;
  strings: Array<{
    /** the text; of long ones the beginning */
    value: string;
    /** of the text in UTF-16 units; of texts of 1,024 or more, what is known about it */
    length: Strings1.Count;
    /** the file says that there was more */
    truncated: boolean;
    /** strings with this text */
    count: Strings1.Count;
    totalSelfSize: Strings1.Count;
    totalRetainedSize: Strings1.Count;
    /** own sizes of all but the smallest */
    wastedSize: Strings1.Count;
    /** the first of them */
    exampleId: Strings1.NodeId;
  }>;
};
export namespace Strings1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Strings1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Strings1 {
  export type Tally = {
    count: Strings1.Count;
    bytes: Strings1.Count;
  };
}

/** The words that a file still has. */
export type StringsAudit1Document = {
  schema: "ubiheap.strings-audit/1";
  /** FILE as given; - for standard input */
  file: string;
  /** Different words of the program's own: convert --anonymize would replace them */
  wordCount: StringsAudit1.Count;
  /** Different words of engines and libraries, and strings of one character */
  publicWordCount: StringsAudit1.Count;
  /** Different replacements, as convert --anonymize makes them */
  replacedCount: StringsAudit1.Count;
  /** Different element numbers above 999, replaced or not */
  largeIndexCount: StringsAudit1.Count;
  /** Different texts; one counts for each role that it has */
  textCount: StringsAudit1.Count;
  /** What is wrong in the file, behind which nothing was read */
  fault: string | null;
  /** Words that were asked for; those behind --limit of each group are left out of words */
  found: StringsAudit1.Count;
  /** Where the words stand: the groups that have any, as shown. A word that stands in several counts for one: program, places, classes, functions, properties or strings, in this order */
  groups: Array<{
    group: StringsAudit1.Group;
    title: string;
    /** Words of the group that were asked for */
    found: StringsAudit1.Count;
  }>;
  words: Array<{
    word: string;
    group: StringsAudit1.Group;
    /** Guessed from its characters, for the order: words of a group come in the order of these */
    looksLike: "address" | "number" | "token" | "path" | "text" | "word";
    /** Different texts that it stands in */
    texts: StringsAudit1.Count;
    /** of an engine or library, or one character; only with --all */
    public: boolean;
    /** What the example is, such as property or file */
    kind: string;
    /** The first of these texts that is of the group, or its beginning */
    example: string;
  }>;
};
export namespace StringsAudit1 {
  export type Count = number;
}
export namespace StringsAudit1 {
  /** program: command line, threads, markers; places: files, folders, hosts; sources: strings of several lines, or more than 200 bytes */
  export type Group = "program" | "places" | "strings" | "properties" | "classes" | "functions" | "sources";
}

/** The classes of a heap, with what they keep alive. */
export type Summary1Document = {
  schema: "ubiheap.summary/1";
  /** FILE as given; - for standard input */
  file: string;
  /** Whose view of the heap this is: v8, firefox, plain */
  lens: string;
  /** As given */
  filter: string | null;
  /** As given */
  context: string | null;
  /** As given */
  since: string | null;
  /** As given */
  until: string | null;
  /** As given by a program, instead of since */
  sinceId?: number;
  /** As given by a program, instead of until */
  untilId?: number;
  /** As given */
  where: string | null;
  /** Bytes of the whole heap */
  totalSize: Summary1.Count;
  /** Nodes that are counted */
  nodeCount: Summary1.Count;
  /** Their own sizes */
  selfSize: Summary1.Count;
  /** Classes, all of them */
  classCount: Summary1.Count;
  /** With matching: classes with the text in their name */
  matchCount?: Summary1.Count;
  /** At most --limit; with --class all of that name */
  classes: Array<Summary1.Class>;
};
export namespace Summary1 {
  /** A count or a number of bytes. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Summary1 {
  /** A node id: a number when a double holds it exactly, else a string of digits */
  export type NodeId = number | string;
}
export namespace Summary1 {
  /** Edges from the root as the lens counts. V8: from 100000000 on only the engine's own roots lead there; -5: not reached */
  export type Distance = number;
}
export namespace Summary1 {
  export type Class = {
    name: string;
    /** Where the class is defined, such as "12,40,7": script, line and column from 0; "" if unknown. With the name it tells classes apart */
    place: string;
    /** The place with the name of its file, line and column from 1, such as app.js:41:8; absent if unknown */
    location?: string;
    /** Nodes of the class that are counted */
    count: Summary1.Count;
    /** The least of its nodes; -5 as soon as one of them is not reached, as in Chrome's DevTools */
    distance: Summary1.Distance;
    /** Nodes that are not reached */
    unreachedCount: Summary1.Count;
    /** Their own sizes */
    selfSize: Summary1.Count;
    /** What they keep alive together; of nodes that hold others of the class only the outermost count */
    retainedSize: Summary1.Count;
    /** The first of them in the file */
    exampleId: Summary1.NodeId;
    /** With --class: those that retain most first, equal ones by id */
    nodes?: Array<Summary1.Node>;
  };
}
export namespace Summary1 {
  export type Node = {
    id: Summary1.NodeId;
    /** What this one node is called */
    name: string;
    distance: Summary1.Distance;
    /** As the lens sees sizes */
    selfSize: Summary1.Count;
    /** Bytes that would be freed with it */
    retainedSize: Summary1.Count;
  };
}

/** A live heap that can be saved. */
export type Target1Document = {
  schema: "ubiheap.target/1";
  id: string;
  name: string;
  /** Of its engine, such as quickjs, or the scheme of its address */
  kind: string;
  /** here: in this process; ended: the same, and its program has ended, while its heap is still there. Behind an address: whether there is a connection; the next request makes one */
  link: "here" | "ended" | "idle" | "connected" | "lost";
  /** Why the last request failed */
  fault: string | null;
  canCollect: boolean;
  canMeasure: boolean;
  canRecord: boolean;
  /** Of allocation stacks */
  recording: {
    isOn: boolean;
    probability: number;
    maxLogLength: number;
  };
  /** Its address */
  self: string;
  /** Where a POST saves it */
  heaps: string;
};

/** Live heaps that can be saved. */
export type Targets1Document = {
  schema: "ubiheap.targets/1";
  targets: Array<{
    id: string;
    name: string;
    /** Of its engine, such as quickjs, or the scheme of its address */
    kind: string;
    /** here: in this process; ended: the same, and its program has ended, while its heap is still there. Behind an address: whether there is a connection; the next request makes one */
    link: "here" | "ended" | "idle" | "connected" | "lost";
    /** Why the last request failed */
    fault: string | null;
    canCollect: boolean;
    canMeasure: boolean;
    canRecord: boolean;
    /** Of allocation stacks */
    recording: {
      isOn: boolean;
      probability: number;
      maxLogLength: number;
    };
    /** Its address */
    self: string;
    /** Where a POST saves it */
    heaps: string;
  }>;
};

/** ubiheap timeline --format json */
export type Timeline1Document = {
  schema: "ubiheap.timeline/1";
  file: string;
  program: string | null;
  pid: Timeline1.Count;
  startTime: string | null;
  /** The program came to its end, or recording did */
  hasEnd: boolean;
  /** What is wrong with the file, and where reading stopped */
  fault: string | null;
  /** In the file */
  markerCount: Timeline1.Count;
  lostMarkers: Timeline1.Count;
  /** Of a recording: the figure heapLive is an estimate */
  sampled: boolean;
  /** Of processes that were recorded together with this one, which have their markers */
  otherFiles: Array<string>;
  /** Of what is shown */
  begin: Timeline1.Ms;
  end: Timeline1.Ms;
  /** In markers, over all threads, timers of the program's own aside */
  busy: Timeline1.Ms;
  /** In collections of garbage */
  collections: Timeline1.Ms;
  threads: Array<{
    id: Timeline1.Count;
    name: string | null;
    busy: Timeline1.Ms;
    collections: Timeline1.Ms;
  }>;
  /** By total, the largest first */
  byMarker: Array<{
    label: string;
    group: number;
    color: string;
    count: Timeline1.Count;
    total: Timeline1.Ms;
    self: Timeline1.Ms;
    /** The one that took longest, an index of markers */
    longestMarker: Timeline1.Count;
  }>;
  memory: Array<{
    time: Timeline1.Ms;
    bytes: {
      [name: string]: number;
    };
  }>;
  /** Empty, or null and then frames; parents have smaller indices, 0 is none */
  frames: Array<null | {
    line: Timeline1.Count;
    column: Timeline1.Count;
    source: string | null;
    functionDisplayName: string | null;
    parent: Timeline1.Count;
    asyncParent: Timeline1.Count;
    asyncCause: string | null;
  }>;
  /** By start, the longer of two first */
  markers: Array<{
    name: string;
    label: string;
    start: Timeline1.Ms;
    /** Milliseconds since the process began; null: it did not end */
    end: number | null;
    /** Without what other markers inside of it took */
    self: Timeline1.Ms;
    /** An index of threads */
    thread: number | null;
    /** The marker that it lies in, an index of markers */
    parent: number | null;
    /** An index of frames; 0: none */
    stack: Timeline1.Count;
    endStack: Timeline1.Count;
    processType?: number;
    isOffMainThread?: boolean;
    details: Timeline1.Details;
  }>;
};
export namespace Timeline1 {
  /** Milliseconds since the process began; six decimals at most */
  export type Ms = number;
}
export namespace Timeline1 {
  /** A count or an index. Above 2^53 it is the nearest double. */
  export type Count = number;
}
export namespace Timeline1 {
  export type Rectangle = {
    x: number;
    y: number;
    width: number;
    height: number;
  };
}
export namespace Timeline1 {
  export type Detail = null | boolean | number | string | Array<Timeline1.Rectangle>;
}
export namespace Timeline1 {
  export type Details = {
    [name: string]: Timeline1.Detail;
  };
}

/** ubiheap info --json of a timeline */
export type TimelineInfo1Document = {
  schema: "ubiheap.timeline-info/1";
  file: string;
  format: "timeline";
  compression: "none" | "gzip" | "zlib";
  inputBytes: TimelineInfo1.Count;
  writer: string | null;
  program: string | null;
  pid: TimelineInfo1.Count;
  startTime: string | null;
  lineCount: TimelineInfo1.Count;
  markerCount: TimelineInfo1.Count;
  threadCount: TimelineInfo1.Count;
  frameCount: TimelineInfo1.Count;
  memorySampleCount: TimelineInfo1.Count;
  lostMarkers: TimelineInfo1.Count;
  hasEnd: boolean;
  fault: string | null;
};
export namespace TimelineInfo1 {
  /** A count or an index. Above 2^53 it is the nearest double. */
  export type Count = number;
}

/** The boxes of a tree map. Pixels count from the upper left corner of the canvas. */
export type Treemap1Document = {
  schema: "ubiheap.treemap/1";
  file: string;
  /** what the areas are */
  by: "bytes" | "count" | "retained";
  /** the breakdown of the census; not with retained */
  breakdown?: unknown;
  width: number;
  height: number;
  /** top, right, bottom, left: pixels between a box and the boxes in it */
  padding: Array<number>;
  order: "largestFirst" | "smallestFirst";
  /** level by level; the first is the root, which is not drawn and lies around the canvas */
  boxes: Array<Treemap1.Box>;
};
export namespace Treemap1 {
  export type Box = {
    name: string | null | Treemap1.Frame;
    /** a group; a node with what it retains; what the parent has beside its parts; those too small for a box */
    type: "row" | "node" | "own" | "rest";
    /** index of a box */
    parent: number | null;
    /** of a node; a string where a double is not exact */
    nodeId?: number | string;
    /** of a group: the row of the census tree with the same breakdown, by its id */
    rowId?: number;
    depth: number;
    colorType: "objects" | "other" | "strings" | "scripts" | "domNode";
    bytes: number;
    /** nodes; of type node: how many it dominates immediately; of type rest in a map of nodes: how many share the box */
    count: number;
    x: number;
    y: number;
    width: number;
    height: number;
  };
}
export namespace Treemap1 {
  export type Frame = {
    source: string;
    line: number;
    column: number;
    functionDisplayName: string | null;
  };
}

/** Documents by their member `schema`. */
export interface Documents {
  "ubiheap.allocations/1": Allocations1Document;
  "ubiheap.attach/1": Attach1Document;
  "ubiheap.cache/1": Cache1Document;
  "ubiheap.census/1": Census1Document;
  "ubiheap.containment/1": Containment1Document;
  "ubiheap.control/1": Control1Document;
  "ubiheap.convert/1": Convert1Document;
  "ubiheap.convert-recording/1": ConvertRecording1Document;
  "ubiheap.diff/1": Diff1Document;
  "ubiheap.dominators/1": Dominators1Document;
  "ubiheap.error/1": Error1Document;
  "ubiheap.files/1": Files1Document;
  "ubiheap.flamegraph/1": Flamegraph1Document;
  "ubiheap.heap/1": Heap1Document;
  "ubiheap.heaps/1": Heaps1Document;
  "ubiheap.info/1": Info1Document;
  "ubiheap.job/1": Job1Document;
  "ubiheap.jobs/1": Jobs1Document;
  "ubiheap.leaks/1": Leaks1Document;
  "ubiheap.measure/1": Measure1Document;
  "ubiheap.node/1": Node1Document;
  "ubiheap.nodes/1": Nodes1Document;
  "ubiheap.paths/1": Paths1Document;
  "ubiheap.questions/1": Questions1Document;
  "ubiheap.recording/1": Recording1Document;
  "ubiheap.recording-allocations/1": RecordingAllocations1Document;
  "ubiheap.recording-curve/1": RecordingCurve1Document;
  "ubiheap.recording-diff/1": RecordingDiff1Document;
  "ubiheap.recording-groups/1": RecordingGroups1Document;
  "ubiheap.recording-info/1": RecordingInfo1Document;
  "ubiheap.recording-sites/1": RecordingSites1Document;
  "ubiheap.recording-tables/1": RecordingTables1Document;
  "ubiheap.report/1": Report1Document;
  "ubiheap.retainers/1": Retainers1Document;
  "ubiheap.routes/1": Routes1Document;
  "ubiheap.rss/1": Rss1Document;
  "ubiheap.run/1": Run1Document;
  "ubiheap.search/1": Search1Document;
  "ubiheap.serve/1": Serve1Document;
  "ubiheap.statistics/1": Statistics1Document;
  "ubiheap.strings/1": Strings1Document;
  "ubiheap.strings-audit/1": StringsAudit1Document;
  "ubiheap.summary/1": Summary1Document;
  "ubiheap.target/1": Target1Document;
  "ubiheap.targets/1": Targets1Document;
  "ubiheap.timeline/1": Timeline1Document;
  "ubiheap.timeline-info/1": TimelineInfo1Document;
  "ubiheap.treemap/1": Treemap1Document;
}
