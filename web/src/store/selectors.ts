// SPDX-License-Identifier: MIT
// What views read from the state.
import { createSelector } from "@reduxjs/toolkit";
import type { KnownDisplays } from "../logic/address_displays";
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS, TREE_MAP_DISPLAYS, type Displays } from "../logic/displays";
import { fileMark, heapWords, type NamedHeap } from "../logic/heap_words";
import type { CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";
import type { HeapPath, LiveTarget } from "../types/heap";
import type { State } from ".";
import {
  ALL_SITES,
  CENSUS,
  CONNECTION,
  DIFFING,
  DOMINATORS,
  INDIVIDUALS,
  LEAKS,
  REPORT,
  SNAPSHOT,
  SUMMARY,
  TREE_MAP,
  VIEW,
  isDiffable,
  type AllocationsModel,
  type Snapshot,
  type SnapshotId,
} from "./models";

export function selectedSnapshot(state: State): Snapshot | null {
  return state.snapshots.find((snapshot) => snapshot.selected) ?? null;
}

export function snapshotOf(state: State, id: SnapshotId | null): Snapshot | null {
  return state.snapshots.find((snapshot) => snapshot.id === id) ?? null;
}

/** What takes the place of one that is deleted from the list: the next, of the last the one before; null: it is alone. */
export function neighbourOf(snapshots: readonly Snapshot[], id: SnapshotId): Snapshot | null {
  const at = snapshots.findIndex((snapshot) => snapshot.id === id);
  return snapshots[at + 1] ?? snapshots[at - 1] ?? null;
}

/** Snapshots that may be of one run of a program: those that can be read, of one kind of file with the first that is chosen for it. */
export function comparableOf({ snapshots, leaks }: State): Snapshot[] {
  const all = snapshots.filter(isDiffable);
  const first = all.find(({ id }) => leaks?.ids.includes(id)) ?? all[0];
  return all.filter(({ what }) => !what || !first?.what || what === first.what);
}

/** The program that snapshots are taken of: the first until another one is chosen. */
export function chosenTarget({ targets, chosenTarget: id }: State): LiveTarget | null {
  return targets.find((target) => target.id === id) ?? targets[0] ?? null;
}

export function allocationsOf(state: State, target: LiveTarget["id"]): AllocationsModel {
  return state.allocations[target] ?? ALL_SITES;
}

export function snapshotAt(state: State, path: HeapPath | null): Snapshot | null {
  return state.snapshots.find((snapshot) => snapshot.path !== null && snapshot.path === path) ?? null;
}

const snapshotsOf = (state: State) => state.snapshots;

/** Snapshots that are on the server, as addresses name them. */
export const namedHeaps = createSelector([snapshotsOf], (snapshots): NamedHeap[] =>
  snapshots.flatMap(({ path, name, size }) => (path === null ? [] : [{ path, name, size }])),
);

/** What addresses call each of them. */
export const heapWordsOf = createSelector([namedHeaps], heapWords);

const preferencesOf = (state: State) => state.preferences;

function knownDisplays<Display extends object>(builtIn: Displays<Display>, preference: "Census" | "Label" | "TreeMap") {
  return createSelector([preferencesOf], (preferences): KnownDisplays<Display> => {
    return { builtIn, own: customDisplays(preferences[`custom${preference}Displays`]).displays as unknown as Displays<Display> };
  });
}
export const censusDisplaysOf = knownDisplays<CensusDisplay>(CENSUS_DISPLAYS, "Census");
export const labelDisplaysOf = knownDisplays<LabelDisplay>(LABEL_DISPLAYS, "Label");
export const treeMapDisplaysOf = knownDisplays<TreeMapDisplay>(TREE_MAP_DISPLAYS, "TreeMap");

/** What the server's own addresses call a snapshot: its name, which stays when the server is started again, if no other has it. */
export function serverWordOf({ snapshots }: State, { name, path }: Snapshot): string {
  const isAlone = snapshots.filter((one) => one.name === name && one.path !== null).length === 1;
  return isAlone ? name : (path ?? "");
}

/** What distinguishes the file of each. */
export const fileMarksOf = createSelector(
  [snapshotsOf],
  (snapshots): Record<HeapPath, string> =>
    Object.fromEntries(snapshots.flatMap(({ path, size, info }) => (path === null ? [] : [[path, fileMark(size, info)]]))),
);

/** The bytes of all that a snapshot has, once anything is known of them; the tree map's are preferred. */
export function totalBytesOf({ treeMap, census, report }: Snapshot): number | null {
  return treeMap?.report?.boxes[0]?.bytes ?? report?.report?.reachable.bytes ?? census?.report?.totalBytes ?? null;
}

/** The file's name without its ending. */
export function titleOf({ name }: Snapshot): string {
  return name.replace(/(\.(fxsnapshot|heapsnapshot|heaptimeline|ubirec|timeline))?(\.gz)?$/, "");
}

/** The same; where several files are called so, with its ending, and where that is no difference, with its place among them. */
export function titleAmong(snapshots: readonly Snapshot[], snapshot: Snapshot): string {
  const title = titleOf(snapshot);
  if (snapshots.filter((one) => titleOf(one) === title).length < 2) {
    return title;
  }
  const { name, id } = snapshot;
  const same = snapshots.filter((one) => one.name === name);
  return same.length < 2 ? name : `${name} (${same.findIndex((one) => one.id === id) + 1})`;
}

/** The state of the model that the view shows; "initial" when there is none. */
export function shownState(state: State): string {
  const { view, diffing, individuals, leaks, connection } = state;
  const snapshot = selectedSnapshot(state);
  if (diffing) {
    return diffing.state;
  }
  if (individuals) {
    return individuals.state;
  }
  if (leaks) {
    return leaks.state;
  }
  if (view.state === VIEW.SETTINGS) {
    return "settings";
  }
  if (!snapshot) {
    return connection === CONNECTION.LOADING ? "loading" : "initial";
  }
  const model = {
    [VIEW.CENSUS as string]: snapshot.census,
    [VIEW.SUMMARY]: snapshot.summary,
    [VIEW.TREE_MAP]: snapshot.treeMap,
    [VIEW.DOMINATOR_TREE]: snapshot.dominatorTree,
    [VIEW.START]: snapshot.report,
  }[view.state];
  return snapshot.state === SNAPSHOT.READ && model ? model.state : snapshot.state;
}

interface StateWords {
  /** In the list. */
  short: string;
  /** In the main panel. */
  long: string;
}

const WORDS: Record<string, StateWords> = {
  [SNAPSHOT.SAVING]: { short: "saving…", long: "Saving the snapshot…" },
  [SNAPSHOT.IMPORTING]: { short: "importing…", long: "Importing the file…" },
  [SNAPSHOT.SAVED]: { short: "", long: "Reading the snapshot…" },
  [SNAPSHOT.READING]: { short: "reading snapshot…", long: "Reading the snapshot…" },
  [SNAPSHOT.ERROR]: { short: "Error", long: "This snapshot could not be read." },
  [REPORT.SAVING]: { short: "looking…", long: "Looking for what matters…" },
  [REPORT.ERROR]: { short: "Error", long: "The report could not be made." },
  [CENSUS.SAVING]: { short: "saving census…", long: "Counting what there is…" },
  [CENSUS.ERROR]: { short: "Error", long: "The census could not be taken." },
  [SUMMARY.SAVING]: { short: "listing classes…", long: "Finding what each class keeps…" },
  [SUMMARY.ERROR]: { short: "Error", long: "The classes could not be listed." },
  [TREE_MAP.SAVING]: { short: "saving tree map…", long: "Drawing the tree map…" },
  [TREE_MAP.ERROR]: { short: "Error", long: "The tree map could not be drawn." },
  [DIFFING.SELECTING]: { short: "select two snapshots", long: "Select the baseline." },
  [DIFFING.TAKING_DIFF]: { short: "computing difference…", long: "Computing the difference…" },
  [DIFFING.ERROR]: { short: "Error", long: "The snapshots could not be compared." },
  [LEAKS.SELECTING]: { short: "select snapshots", long: "Select two snapshots or more." },
  [LEAKS.FINDING]: { short: "looking for leaks…", long: "Looking for what is held…" },
  [LEAKS.ERROR]: { short: "Error", long: "These snapshots could not be compared." },
  [DOMINATORS.COMPUTING]: { short: "computing dominators…", long: "Computing the dominator tree…" },
  [DOMINATORS.COMPUTED]: { short: "computing sizes…", long: "Computing retained sizes…" },
  [DOMINATORS.FETCHING]: { short: "computing sizes…", long: "Computing retained sizes…" },
  [DOMINATORS.INCREMENTAL_FETCHING]: { short: "fetching…", long: "Fetching the subtree…" },
  [DOMINATORS.ERROR]: { short: "Error", long: "The dominator tree could not be computed." },
  [INDIVIDUALS.COMPUTING_DOMINATOR_TREE]: { short: "computing dominators…", long: "Computing the dominator tree…" },
  [INDIVIDUALS.FETCHING]: { short: "fetching individuals…", long: "Fetching individuals…" },
  [INDIVIDUALS.ERROR]: { short: "Error", long: "The individuals could not be fetched." },
};

export function stateWords(state: string): StateWords {
  return WORDS[state] ?? { short: "", long: "" };
}

const BUSY = /(saving|importing|reading|taking-diff|finding|computing|computed|fetching)/;

/** Whether something is being done that ends by itself. */
export function isBusy(state: string): boolean {
  return BUSY.test(state);
}
