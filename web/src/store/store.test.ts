// SPDX-License-Identifier: MIT
// The conformance cases of the front end that are about its state, by number. Tasks are dispatched, and the state is read.
import { beforeEach, describe, expect, it } from "vitest";
import { CENSUS_DISPLAYS, LABEL_DISPLAYS } from "../logic/displays";
import { formatSize } from "../logic/format";
import type { CensusDisplay, LabelDisplay } from "../types/breakdown";
import type { LiveTarget } from "../types/heap";
import { classRows, dominatorRows } from "../logic/dominator_rows";
import {
  chooseTarget,
  collapseCensusNode,
  expandCensusNode,
  focusClassMember,
  focusDominatorTreeNode,
  leaveDeepDominators,
  setCensusDisplay,
  setLabelDisplay,
  setRecordingOptions,
  sortClassDiff,
} from "./actions";
import { CENSUS, CONNECTION, DIFFING, DOMINATORS, INDIVIDUALS, newSnapshot, SNAPSHOT, TREE_MAP, VIEW } from "./models";
import { allocationsOf, chosenTarget, shownState, stateWords, titleAmong, titleOf, totalBytesOf } from "./selectors";
import { expandCensusRow } from "./tasks/census";
import { chooseClass, fetchClassMembers, selectForDiffing, showClassDiff, toggleDiffing } from "./tasks/diffing";
import {
  expandByClass,
  fetchImmediatelyDominated,
  fetchIndividuals,
  fetchMembers,
  revealDominator,
  setGroupingAndRefresh,
  showIndividuals,
} from "./tasks/dominators";
import {
  cancelSnapshot,
  clearSnapshots,
  deleteSnapshot,
  importFiles,
  listSnapshots,
  listTargets,
  takeSnapshotAndCensus,
  toggleRecordingAllocationStacks,
} from "./tasks/snapshots";
import { changeViewAndRefresh, popViewAndRefresh, refresh, selectNeighbour, selectSnapshotAndRefresh } from "./tasks/views";
import { setCensusDisplayAndRefresh, setFilterAndRefresh, setLabelDisplayAndRefresh } from "./tasks/views";
import { bench, ROOT, settled, type Bench } from "./testing";

const STACKS = CENSUS_DISPLAYS["allocationStack"] as CensusDisplay;
const STACK_LABELS = LABEL_DISPLAYS["allocationStack"] as LabelDisplay;
const file = (name: string) => new File(["x"], name);

let b: Bench;
const ids = () => b.state().snapshots.map(({ id }) => id);
const first = () => b.state().snapshots[0]!;
const second = () => b.state().snapshots[1]!;
const starts = (type: string) => b.actions.filter((one) => one === type).length;

/** All heaps are listed, and the first is shown in a view. */
async function opened(view: (typeof VIEW)[keyof typeof VIEW], ...names: string[]) {
  b = bench(...names);
  await b.store.dispatch(listSnapshots());
  await b.store.dispatch(selectSnapshotAndRefresh(first().id));
  await b.store.dispatch(changeViewAndRefresh(view));
  b.actions.length = 0;
  b.client.asked.length = 0;
}

describe("the connection", () => {
  it("is lost and found again; another server of the same token replaces the one of the page", async () => {
    b = bench("one");
    expect(b.state().connection).toBe(CONNECTION.LOADING);
    await b.store.dispatch(listSnapshots());
    expect(b.state().connection).toBe(CONNECTION.READY);
    b.client.failing.set("list", "gone");
    await b.store.dispatch(listSnapshots());
    expect([b.state().connection, b.state().snapshots.length]).toEqual([CONNECTION.LOST, 1]);
    b.client.failing.clear();
    await b.store.dispatch(listSnapshots());
    expect(b.state().connection).toBe(CONNECTION.READY);
    b.client.server = "two";
    b.client.open("of another server");
    await b.store.dispatch(listSnapshots());
    expect([b.state().connection, b.state().snapshots.length]).toEqual([CONNECTION.REPLACED, 1]);
  });
});

describe("heaps that are listed", () => {
  it("are in ERROR when their files are known to be damaged, at once or as soon as another page has read them", async () => {
    b = bench("good", "cut");
    b.client.heaps[1]!.fault = "ends too early";
    await b.store.dispatch(listSnapshots());
    expect(b.state().snapshots.map(({ state, error }) => [state, error])).toEqual([
      [SNAPSHOT.SAVED, null],
      [SNAPSHOT.ERROR, "ends too early"],
    ]);
    b.client.heaps[0]!.fault = "no node";
    await b.store.dispatch(listSnapshots());
    expect(first()).toMatchObject({ state: SNAPSHOT.ERROR, error: "no node" });
    await b.store.dispatch(selectSnapshotAndRefresh(second().id));
    expect(b.client.asked.filter((one) => one === "read")).toEqual([]);
  });
});

describe("snapshots", () => {
  beforeEach(() => {
    b = bench();
  });

  it("FE-1: begin in SAVING, each with an id of its own", () => {
    const two = [newSnapshot(), newSnapshot()];
    expect(two.map(({ state }) => state)).toEqual([SNAPSHOT.SAVING, SNAPSHOT.SAVING]);
    expect(two[0]?.id).not.toBe(two[1]?.id);
  });

  it("are taken: saved, read, and shown", async () => {
    const release = b.client.hold("save");
    const done = b.store.dispatch(takeSnapshotAndCensus("t1"));
    expect([first().state, first().selected]).toEqual([SNAPSHOT.SAVING, true]);
    release();
    await done;
    expect(first()).toMatchObject({ state: SNAPSHOT.READ, path: "h1", creationTime: 1_700_000_000_123_456 });
    expect(first().treeMap?.state).toBe(TREE_MAP.SAVED);
    await b.store.dispatch(takeSnapshotAndCensus("t1"));
    expect(b.state().snapshots.map(({ name }) => name)).toEqual(["t1 1", "t1 2"]);
  });

  it("FE-19: that cannot be saved are errors, and nothing is counted", async () => {
    b.client.failing.set("save", "the disk is full");
    await b.store.dispatch(takeSnapshotAndCensus("t1"));
    expect(first()).toMatchObject({ state: SNAPSHOT.ERROR, error: "the disk is full", census: null, treeMap: null });
    expect(b.client.asked).toEqual(["save"]);
    expect(shownState(b.state())).toBe(SNAPSHOT.ERROR);
  });

  it("FE-27: are imported, from IMPORTING through READING to READ", async () => {
    const holdImport = b.client.hold("import");
    const holdRead = b.client.hold("read");
    const done = b.store.dispatch(importFiles([file("foo.fxsnapshot")]));
    expect(first()).toMatchObject({ state: SNAPSHOT.IMPORTING, imported: true, selected: true });
    holdImport();
    await settled();
    expect(first().state).toBe(SNAPSHOT.READING);
    holdRead();
    await done;
    expect([first().state, titleOf(first())]).toEqual([SNAPSHOT.READ, "foo"]);
  });

  it("that are imported together are in the list at once, and the first is selected", async () => {
    const release = b.client.hold("import");
    const done = b.store.dispatch(importFiles(["a", "b", "c"].map(file)));
    expect(b.state().snapshots.map(({ state, selected, progress }) => [state, selected, progress?.stage])).toEqual(
      [true, false, false].map((isFirst) => [SNAPSHOT.IMPORTING, isFirst, "waiting for the files before it"]),
    );
    // One that has its turn later.
    await b.store.dispatch(cancelSnapshot(second().id));
    release();
    await done;
    expect(b.state().snapshots.map(({ name, state }) => [name, state])).toEqual([
      ["a", SNAPSHOT.READ],
      ["c", SNAPSHOT.READ],
    ]);
    expect(b.client.asked.filter((one) => one === "import").length).toBe(2);
  });

  it("whose import is cancelled are gone, here and on the server, whatever was done by then", async () => {
    for (const [question, path] of [
      ["import", "h1"],
      ["read", "h2"],
    ] as const) {
      const release = b.client.hold(question);
      const done = b.store.dispatch(importFiles([file("a")]));
      await settled();
      // Meanwhile the server lists what arrives: it is not another snapshot.
      await b.store.dispatch(listSnapshots());
      expect(ids().length).toBe(1);
      const { id } = first();
      const cancelled = b.store.dispatch(cancelSnapshot(id));
      expect(ids()).toEqual([]);
      release();
      await Promise.all([done, cancelled]);
      expect([ids(), b.client.asked.includes(`delete ${path}`)]).toEqual([[], true]);
    }
  });

  it("that cannot be imported stay in the list with the reason, and nothing leaves ERROR", async () => {
    b.client.failing.set("read", "not a heap");
    await b.store.dispatch(importFiles([file("a.txt")]));
    expect(first()).toMatchObject({ state: SNAPSHOT.ERROR, error: "not a heap" });
    b.client.failing.clear();
    await b.store.dispatch(selectSnapshotAndRefresh(first().id));
    expect(first().state).toBe(SNAPSHOT.ERROR);
    await b.store.dispatch(clearSnapshots());
    expect(ids()).toEqual([]);
  });

  // The case has "1.23 MB" here, beside binary units everywhere else.
  it("FE-28: show their total once it is known", async () => {
    await b.store.dispatch(importFiles([file("a.fxsnapshot")]));
    expect(formatSize(totalBytesOf(first()) ?? 0)).toBe("1.18 MiB");
  });

  it("are those that are open on the server, and go when they are closed there", async () => {
    await opened(VIEW.CENSUS, "a.fxsnapshot", "b.fxsnapshot");
    expect(b.state().snapshots.map(titleOf)).toEqual(["a", "b"]);
    b.client.heaps.shift();
    await b.store.dispatch(listSnapshots());
    expect(b.state().snapshots.map(titleOf)).toEqual(["b"]);
  });

  it("are called by their files without endings; those of one name with what distinguishes them", async () => {
    await opened(VIEW.CENSUS, "app.fxsnapshot", "app.heapsnapshot", "b.fxsnapshot", "b.fxsnapshot", "c.fxsnapshot");
    const { snapshots } = b.state();
    expect(snapshots.map((one) => titleAmong(snapshots, one))).toEqual([
      ...["app.fxsnapshot", "app.heapsnapshot", "b.fxsnapshot (1)", "b.fxsnapshot (2)", "c"],
    ]);
  });

  it("are selected by keys, clamped at the ends; with none it is nothing", async () => {
    await b.store.dispatch(selectNeighbour(1));
    expect(ids()).toEqual([]);
    await opened(VIEW.CENSUS, "a", "b");
    await b.store.dispatch(selectNeighbour(1));
    await b.store.dispatch(selectNeighbour(1));
    expect(b.selected().name).toBe("b");
    await b.store.dispatch(selectNeighbour(-1));
    await b.store.dispatch(selectNeighbour(-1));
    expect(b.selected().name).toBe("a");
  });
});

describe("allocation stacks", () => {
  const target = (id: string, isOn = false) => ({ id, recording: { isOn, probability: 0.5, maxLogLength: 9 } }) as LiveTarget;
  const of = (id: string) => allocationsOf(b.state(), id);

  it("are recorded or not, and nothing else is asked while that is switched", async () => {
    b = bench();
    const release = b.client.hold("record");
    const done = b.store.dispatch(toggleRecordingAllocationStacks("t1"));
    expect(of("t1")).toMatchObject({ recording: false, togglingInProgress: true });
    await b.store.dispatch(toggleRecordingAllocationStacks("t1"));
    expect(b.client.asked).toEqual(["record"]);
    release();
    await done;
    expect(of("t1")).toMatchObject({ recording: true, togglingInProgress: false, probability: 1, maxLogLength: 1 });
    await b.store.dispatch(toggleRecordingAllocationStacks("t1"));
    expect(of("t1").recording).toBe(false);
  });

  it("stay as they were where switching fails, and the page says why", async () => {
    b = bench();
    b.client.failing.set("record", "the program is gone");
    await b.store.dispatch(toggleRecordingAllocationStacks("t1"));
    expect([of("t1").togglingInProgress, b.state().notice]).toEqual([false, "the program is gone"]);
  });

  it("are of each program, as are probability and length of the log", async () => {
    b = bench();
    b.client.targets = [target("t1"), target("t2", true)];
    await b.store.dispatch(listTargets());
    expect([chosenTarget(b.state())?.id, of("t1").recording]).toEqual(["t1", false]);
    expect(of("t2")).toEqual({ recording: true, togglingInProgress: false, probability: 0.5, maxLogLength: 9 });
    b.store.dispatch(chooseTarget("t2"));
    b.store.dispatch(setRecordingOptions({ target: "t1", probability: 0.25, maxLogLength: 70 }));
    await b.store.dispatch(listTargets());
    await b.store.dispatch(toggleRecordingAllocationStacks("t1"));
    expect(b.client.targets[0]).toMatchObject({ id: "t1", recording: { isOn: true, probability: 0.25, maxLogLength: 70 } });
    expect([chosenTarget(b.state())?.id, of("t1").recording, of("t2").maxLogLength]).toEqual(["t2", true, 9]);
    b.client.targets = [target("t1")];
    await b.store.dispatch(listTargets());
    expect(chosenTarget(b.state())?.id).toBe("t1");
  });
});

describe("clearing", () => {
  it("FE-17: leaves what is being saved", async () => {
    await opened(VIEW.CENSUS, "a.fxsnapshot");
    const release = b.client.hold("save");
    const done = b.store.dispatch(takeSnapshotAndCensus("t1"));
    await b.store.dispatch(clearSnapshots());
    expect(b.state().snapshots.map(({ state }) => state)).toEqual([SNAPSHOT.SAVING]);
    expect(b.client.asked).toContain("delete h1");
    release();
    await done;
  });

  it("FE-16: leaves a difference", async () => {
    await opened(VIEW.CENSUS, "a", "b");
    await b.store.dispatch(toggleDiffing());
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    await b.store.dispatch(selectForDiffing(ids()[1]!));
    await b.store.dispatch(clearSnapshots());
    expect([ids(), b.state().diffing]).toEqual([[], null]);
  });

  it("FE-18: leaves individuals for the view before", async () => {
    await opened(VIEW.CENSUS, "a");
    await b.store.dispatch(fetchIndividuals(first().id, STACKS.breakdown, new Set([1])));
    expect(b.state().view.state).toBe(VIEW.INDIVIDUALS);
    await b.store.dispatch(clearSnapshots());
    expect([ids(), b.state().view.state, b.state().individuals]).toEqual([[], VIEW.CENSUS, null]);
  });

  it("of one snapshot leaves the others", async () => {
    await opened(VIEW.CENSUS, "a", "b");
    await b.store.dispatch(deleteSnapshot(second().id));
    expect(b.state().snapshots.map(({ name }) => name)).toEqual(["a"]);
    expect(b.client.asked).toContain("delete h2");
  });
});

describe("censuses", () => {
  beforeEach(() => opened(VIEW.CENSUS, "a.fxsnapshot"));

  it("are taken once while nothing that they are of changes", async () => {
    await b.store.dispatch(changeViewAndRefresh(VIEW.CENSUS));
    expect([first().census?.state, starts("take-census-start")]).toEqual([CENSUS.SAVED, 0]);
  });

  it("FE-20: are taken again when the display changes meanwhile, and end once", async () => {
    const release = b.client.hold("census");
    const done = b.store.dispatch(setCensusDisplayAndRefresh(STACKS));
    await settled();
    b.store.dispatch(setCensusDisplay(CENSUS_DISPLAYS["filename"] as CensusDisplay));
    release();
    await done;
    expect([starts("take-census-start"), starts("take-census-end")]).toEqual([2, 1]);
    expect(first().census?.display).toBe(CENSUS_DISPLAYS["filename"]);
  });

  it("FE-15: are of what the filter leaves, also after another view", async () => {
    await b.store.dispatch(setFilterAndRefresh("js::Shape"));
    const rows = () => Object.values(first().census?.report?.rows ?? {}).map(({ name }) => name);
    expect(rows()).toEqual(["js::Shape"]);
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    await b.store.dispatch(changeViewAndRefresh(VIEW.CENSUS));
    expect([b.state().filter, rows(), starts("take-census-start")]).toEqual(["js::Shape", ["js::Shape"], 1]);
  });

  it("FE-32: have nothing expanded when the display was switched", async () => {
    await b.store.dispatch(expandCensusRow(first().id, 2));
    expect([...(first().census?.expanded ?? [])]).toEqual([2]);
    await b.store.dispatch(setCensusDisplayAndRefresh(STACKS));
    expect(first().census?.expanded.size).toBe(0);
  });

  it("copy the set of expanded rows before they change it", () => {
    const { id, census } = first();
    b.store.dispatch(expandCensusNode({ id, node: 3 }));
    const opened = first().census?.expanded;
    b.store.dispatch(collapseCensusNode({ id, node: 3 }));
    expect([census?.expanded.size, opened?.size, first().census?.expanded.size]).toEqual([0, 1, 0]);
  });

  it("that fail say why, and are tried again with another display", async () => {
    b.client.failing.set("census", "out of memory");
    await b.store.dispatch(setCensusDisplayAndRefresh(STACKS));
    expect(first().census).toMatchObject({ state: CENSUS.ERROR, error: "out of memory", report: null });
    b.client.failing.clear();
    await b.store.dispatch(changeViewAndRefresh(VIEW.CENSUS));
    expect(first().census?.state).toBe(CENSUS.SAVED);
  });
});

describe("dominator trees", () => {
  beforeEach(() => opened(VIEW.CENSUS, "a.fxsnapshot"));

  it("FE-29: come with a tree map, whose total the list shows", async () => {
    b = bench();
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    await b.store.dispatch(takeSnapshotAndCensus("t1"));
    const order = b.client.asked.filter((one) => ["tree map", "compute", "tree"].includes(one));
    expect(order).toEqual(["tree map", "compute", "tree"]);
    expect(first().dominatorTree?.state).toBe(DOMINATORS.LOADED);
  });

  it("FE-21: are fetched again when the labels change meanwhile, and computed once", async () => {
    const release = b.client.hold("tree");
    const done = b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    await settled();
    expect(first().dominatorTree?.state).toBe(DOMINATORS.FETCHING);
    b.store.dispatch(setLabelDisplay(STACK_LABELS));
    release();
    await done;
    expect(first().dominatorTree).toMatchObject({ state: DOMINATORS.LOADED, dominatorTreeId: 0, display: STACK_LABELS });
    expect([starts("compute-dominator-tree-start"), starts("fetch-dominator-tree-start")]).toEqual([1, 2]);
    await b.store.dispatch(setLabelDisplayAndRefresh(LABEL_DISPLAYS["coarseType"] as LabelDisplay));
    expect([first().dominatorTree?.display, starts("compute-dominator-tree-start")]).toEqual([LABEL_DISPLAYS["coarseType"], 1]);
  });

  it("FE-26: are fetched a part at a time, until all parts have come", async () => {
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    const { id } = first();
    const [releaseTwo, releaseOne] = [b.client.hold("dominated 2"), b.client.hold("dominated 1")];
    const done = [b.store.dispatch(fetchImmediatelyDominated(id, [1, 2], 0)), b.store.dispatch(fetchImmediatelyDominated(id, [1], 2))];
    expect(first().dominatorTree?.activeFetchRequestCount).toBe(2);
    releaseTwo();
    await done[0];
    expect(first().dominatorTree?.state).toBe(DOMINATORS.INCREMENTAL_FETCHING);
    releaseOne();
    await Promise.all(done);
    expect(first().dominatorTree?.state).toBe(DOMINATORS.LOADED);
    const children = first().dominatorTree?.root?.children;
    expect(children?.map(({ nodeId }) => nodeId)).toEqual([2, 3, 10]);
    expect(children?.[0]?.children?.map(({ nodeId }) => nodeId)).toEqual([20]);
  });

  it("open the way to any node, with what is beside it in sum", async () => {
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    await b.store.dispatch(revealDominator(first().id, 999));
    const tree = first().dominatorTree;
    expect([tree?.focused?.nodeId, tree?.focusedRow, [...(tree?.expanded ?? [])]]).toEqual([999, "node 999", [1, 3]]);
    const rows = dominatorRows(tree?.root ?? null, tree?.expanded ?? new Set());
    expect(rows.find((row) => row.key === "node 999")?.index).toBe(500);
    expect(b.client.asked.filter((one) => one.startsWith("dominated"))).toEqual([]);
    await b.store.dispatch(revealDominator(first().id, 4));
    expect([b.state().notice, first().dominatorTree?.focused?.nodeId]).toEqual([expect.stringContaining("cannot be reached"), 999]);
  });

  it("begin near a node that is far below the root, until all is wanted", async () => {
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    const root = first().dominatorTree?.root;
    b.client.levelsAbove = 59_000;
    await b.store.dispatch(revealDominator(first().id, 999));
    const tree = first().dominatorTree;
    expect([tree?.focused?.nodeId, tree?.deep?.levelsAbove, tree?.root]).toEqual([999, 59_000, root]);
    const rows = dominatorRows(tree?.deep?.top ?? null, tree?.expanded ?? new Set());
    expect(rows.map(({ key }) => key)).toContain("node 999");
    b.store.dispatch(leaveDeepDominators({ id: first().id }));
    expect([first().dominatorTree?.deep, first().dominatorTree?.focused, first().dominatorTree?.root]).toEqual([null, null, root]);
  });

  it("group what nodes dominate by class, and keep the focus where a rest was opened", async () => {
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    const { id } = first();
    const keys = () => classRows(first().dominatorTree?.root ?? null, first().dominatorTree!.byClass).map(({ key }) => key);
    await b.store.dispatch(setGroupingAndRefresh(id, "class"));
    expect(keys()).toEqual(["node 1", "class 2", "class 3", "rest 2 of node 1"]);
    const [array] = first().dominatorTree?.byClass.groups.get(1)?.groups ?? [];
    await b.store.dispatch(expandByClass(id, ROOT, array));
    expect(keys().slice(1, 6)).toEqual(["class 2", "node 200", "node 201", "node 202", "rest 3 of class 2"]);
    b.store.dispatch(focusDominatorTreeNode({ id, node: null, row: "rest 3 of class 2" }));
    await b.store.dispatch(fetchMembers(id, array!, 3));
    expect([keys()[5], first().dominatorTree?.focusedRow]).toEqual(["node 203", "node 203"]);
    await b.store.dispatch(setLabelDisplayAndRefresh(STACK_LABELS));
    expect(keys()).toEqual(["node 1", "class 2", "class 3", "rest 2 of node 1"]);
  });

  it("that fail are errors for good", async () => {
    b.client.failing.set("compute", "too large");
    await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
    expect(first().dominatorTree).toMatchObject({ state: DOMINATORS.ERROR, error: "too large" });
    expect(stateWords(shownState(b.state())).short).toBe("Error");
  });
});

describe("differences", () => {
  beforeEach(async () => {
    await opened(VIEW.CENSUS, "a", "b");
    await b.store.dispatch(toggleDiffing());
  });

  it("begin with nothing selected", () => {
    expect(b.state().diffing?.state).toBe(DIFFING.SELECTING);
    expect(b.state().snapshots.some(({ selected }) => selected)).toBe(false);
  });

  it("FE-22: are of two: the first is not picked again", async () => {
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    expect(b.state().diffing).toMatchObject({ state: DIFFING.SELECTING, firstSnapshotId: ids()[0], secondSnapshotId: null });
  });

  it("FE-23: are computed when two are picked", async () => {
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    const release = b.client.hold("diff");
    const done = b.store.dispatch(selectForDiffing(ids()[1]!));
    await settled();
    expect(b.state().diffing?.state).toBe(DIFFING.TAKING_DIFF);
    release();
    await done;
    expect(b.state().diffing).toMatchObject({ state: DIFFING.TOOK_DIFF, census: { state: CENSUS.SAVED } });
  });

  it("FE-25: are left when a snapshot is taken, which is selected", async () => {
    await b.store.dispatch(takeSnapshotAndCensus("t1"));
    expect([b.state().view.state, b.state().diffing, b.selected().name]).toEqual([VIEW.CENSUS, null, "t1 1"]);
  });

  it("are by class, too, until that is left or the pair is", async () => {
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    await b.store.dispatch(selectForDiffing(ids()[1]!));
    const release = b.client.hold("class diff");
    const done = b.store.dispatch(showClassDiff(true));
    expect(b.state().diffing?.byClass).toMatchObject({ rows: null, error: null });
    release();
    await done;
    expect(b.state().diffing?.byClass?.rows?.map(({ name }) => name)).toEqual(["Point"]);
    await b.store.dispatch(showClassDiff(false));
    expect(b.state().diffing).toMatchObject({ byClass: null, state: DIFFING.TOOK_DIFF });
    b.client.failing.set("class diff", "too large");
    await b.store.dispatch(showClassDiff(true));
    expect(b.state().diffing?.byClass?.error).toBe("too large");
  });

  it("show which objects of a class are new or gone, unless another one is looked at by then", async () => {
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    await b.store.dispatch(selectForDiffing(ids()[1]!));
    await b.store.dispatch(showClassDiff(true, "-delta"));
    const members = () => b.state().diffing?.byClass?.members;
    b.store.dispatch(chooseClass("Object/Nothing", "created"));
    expect(members()).toBeNull();
    b.store.dispatch(chooseClass("Object/Point", "created"));
    const release = b.client.hold("members 1 created");
    const done = b.store.dispatch(fetchClassMembers());
    b.store.dispatch(chooseClass("Object/Point", "deleted"));
    await b.store.dispatch(fetchClassMembers());
    release();
    await done;
    expect(members()).toMatchObject({ side: "deleted", nodes: [{ nodeId: 2 }] });
    b.store.dispatch(focusClassMember(2));
    expect(members()?.focused).toBe(2);
    b.client.failing.set("members 1 created", "gone");
    b.store.dispatch(chooseClass("Object/Point", "created"));
    await b.store.dispatch(fetchClassMembers());
    expect(members()).toMatchObject({ nodes: null, error: "gone" });
    b.store.dispatch(sortClassDiff("+name"));
    expect(b.state().diffing?.byClass).toMatchObject({ sort: "+name", rows: [{ name: "Point", number: 1 }] });
  });

  it("are left by toggling, for Aggregate", async () => {
    await b.store.dispatch(toggleDiffing());
    expect([b.state().view.state, b.state().diffing]).toEqual([VIEW.CENSUS, null]);
  });

  it("that fail say why", async () => {
    b.client.failing.set("diff", "of another program");
    await b.store.dispatch(selectForDiffing(ids()[0]!));
    await b.store.dispatch(selectForDiffing(ids()[1]!));
    expect(b.state().diffing).toMatchObject({ state: DIFFING.ERROR, error: "of another program" });
  });
});

describe("individuals", () => {
  it("are also the objects of a class, and again when the view is refreshed", async () => {
    await opened(VIEW.START, "heap");
    await b.store.dispatch(showIndividuals(first().id, { className: "(object shape)" }));
    expect(b.state().individuals).toMatchObject({ state: INDIVIDUALS.FETCHED, of: { className: "(object shape)" }, nodeCount: 7 });
    await b.store.dispatch(refresh());
    expect(b.client.asked.filter((one) => one === "objects of (object shape) 1000").length).toBe(2);
    await b.store.dispatch(popViewAndRefresh());
    expect(b.state().view.state).toBe(VIEW.START);
  });

  beforeEach(() => opened(VIEW.CENSUS, "a", "b"));

  it("FE-24: go back to the same snapshot in the same view", async () => {
    const { id } = b.selected();
    await b.store.dispatch(fetchIndividuals(id, STACKS.breakdown, new Set([1])));
    expect(b.state().individuals).toMatchObject({ state: INDIVIDUALS.FETCHED, id });
    await b.store.dispatch(popViewAndRefresh());
    expect([b.state().view.state, b.selected().id, b.state().individuals]).toEqual([VIEW.CENSUS, id, null]);
  });

  it("are given up when the view is left", async () => {
    const release = b.client.hold("compute");
    const done = b.store.dispatch(fetchIndividuals(first().id, STACKS.breakdown, new Set([1])));
    await b.store.dispatch(popViewAndRefresh());
    release();
    await done;
    expect([b.state().view.state, b.state().individuals]).toEqual([VIEW.CENSUS, null]);
    expect(b.client.asked).not.toContain("individuals");
  });

  it("that fail say why, and are fetched again with other labels", async () => {
    b.client.failing.set("individuals", "none");
    await b.store.dispatch(fetchIndividuals(first().id, STACKS.breakdown, new Set([1])));
    expect(b.state().individuals).toMatchObject({ state: INDIVIDUALS.ERROR, error: "none" });
    b.client.failing.clear();
    await b.store.dispatch(setLabelDisplayAndRefresh(STACK_LABELS));
    expect(b.state().individuals).toMatchObject({ state: INDIVIDUALS.FETCHED, labelDisplay: STACK_LABELS });
  });
});
