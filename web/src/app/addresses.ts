// SPDX-License-Identifier: MIT
// What the state is as an address, and the state that an address asks for.
import type { Address, ReadAddress, ViewName } from "../logic/address";
import { displayOfWords, wordsOfDisplay, type KnownDisplays } from "../logic/address_displays";
import { formatNumber } from "../logic/format";
import { fileMark, heapOfWord, isMarkOf } from "../logic/heap_words";
import type { State, Store, Task } from "../store";
import {
  noticeChanged,
  selectSnapshot,
  setCensusDisplay,
  setFilterString,
  setGrouping,
  setLabelDisplay,
  setSort,
  setSummarySort,
  setTreeMapDisplay,
  setTreeMapZoom,
} from "../store/actions";
import { LEAKS, VIEW, type Snapshot, type ViewState } from "../store/models";
import {
  censusDisplaysOf,
  labelDisplaysOf,
  namedHeaps,
  selectedSnapshot,
  snapshotAt,
  snapshotOf,
  treeMapDisplaysOf,
} from "../store/selectors";
import { seekObjectInTreeMap } from "../store/tasks/census";
import { compareSnapshots, selectForDiffing, showClassDiff } from "../store/tasks/diffing";
import { openObject, revealDominator, showIndividuals } from "../store/tasks/dominators";
import { showLeaks } from "../store/tasks/leaks";
import { changeView, readSnapshot, refresh } from "../store/tasks/views";
import type { NodeId } from "../types/heap";

export const NAMES: Record<ViewState, ViewName> = {
  [VIEW.START]: "start",
  [VIEW.TREE_MAP]: "tree-map",
  [VIEW.CENSUS]: "census",
  [VIEW.SUMMARY]: "summary",
  [VIEW.DOMINATOR_TREE]: "dominators",
  [VIEW.DIFFING]: "diff",
  [VIEW.LEAKS]: "leaks",
  [VIEW.INDIVIDUALS]: "individuals",
  [VIEW.OBJECT]: "object",
  [VIEW.SETTINGS]: "settings",
};
const STATES = Object.fromEntries(Object.entries(NAMES).map(([state, name]) => [name, state])) as Record<ViewName, ViewState>;

// ---- the state as an address ------------------------------------------------------------------------------------------------

/** The object that the view is about, if it is about one. */
function shownNode(state: State): NodeId | null {
  const { state: view } = state.view;
  if (view === VIEW.OBJECT) {
    return state.objects.shown;
  }
  const { dominatorTree, treeMap } = selectedSnapshot(state) ?? {};
  const nodes = { [VIEW.DOMINATOR_TREE as string]: dominatorTree?.focused?.nodeId, [VIEW.TREE_MAP]: treeMap?.sought?.nodeId };
  return nodes[view] ?? null;
}

/** Views that count, whose display is that of a census. */
const isCounting = (view: ViewName) => view === "census" || view === "diff" || view === "individuals";
const isLabelling = (view: ViewName) => view === "dominators" || view === "individuals";

function shownDisplays(state: State, view: ViewName): Partial<Address> {
  const isOfClass = state.individuals?.of && "className" in state.individuals.of;
  const display =
    view === "tree-map"
      ? wordsOfDisplay(treeMapDisplaysOf(state), state.treeMapDisplay)
      : isCounting(view) && !isOfClass
        ? wordsOfDisplay(censusDisplaysOf(state), state.censusDisplay)
        : { id: "", breakdown: "" };
  const labels = isLabelling(view) ? wordsOfDisplay(labelDisplaysOf(state), state.labelDisplay) : { id: "", breakdown: "" };
  return { display: display.id, breakdown: display.breakdown, labels: labels.id, labelBreakdown: labels.breakdown };
}

function shownIndividuals({ individuals, snapshots }: State): Partial<Address> {
  const { of, id } = individuals ?? {};
  if (!of || "className" in of) {
    return { kind: of?.className ?? "" };
  }
  return { indices: [...of.indices].join(","), bytes: String(snapshots.find((snapshot) => snapshot.id === id)?.size ?? "") };
}

export function addressOfState(state: State): Partial<Address> {
  const view = NAMES[state.view.state];
  const { diffing, leaks } = state;
  const heap = (diffing ? snapshotOf(state, diffing.firstSnapshotId) : selectedSnapshot(state))?.path ?? null;
  const isTable = view === "census" || view === "diff";
  const sort = view === "summary" ? state.summarySort : isTable ? state.sort : "";
  return {
    view,
    heap: view === "settings" ? null : heap,
    heaps: (leaks?.state === LEAKS.SELECTING ? [] : (leaks?.ids ?? [])).map((id) => snapshotOf(state, id)?.path ?? ""),
    anyway: leaks?.allowsOtherProcess || diffing?.byClass?.allowsOtherProcess ? "1" : "",
    other: snapshotOf(state, diffing?.secondSnapshotId ?? null)?.path ?? null,
    node: shownNode(state),
    filter: isTable || view === "summary" ? (state.filter ?? "") : "",
    sort: diffing?.byClass ? diffing.byClass.sort : sort,
    by: diffing?.byClass || (view === "dominators" && state.grouping === "class") ? "class" : "",
    row: diffing?.byClass?.members?.key ?? "",
    side: diffing?.byClass?.members?.side === "deleted" ? "deleted" : "",
    ...shownDisplays(state, view),
    ...shownIndividuals(state),
    zoom: view === "tree-map" ? (selectedSnapshot(state)?.treeMap?.zoom ?? "") : "",
  };
}

// ---- an address as the state ------------------------------------------------------------------------------------------------

/** An address whose heaps are those that are open. */
export interface FoundAddress extends ReadAddress {
  /** Heaps of it are not open. */
  isMissing: boolean;
}

/** Finds the heaps of an address, which calls them by words; what is not there is said. */
export function foundAddress(state: State, { address, faults }: ReadAddress): FoundAddress {
  const { view, heap, other, heaps } = address;
  const open = namedHeaps(state);
  const wanted = view === "leaks" ? heaps : [heap, other].filter((word) => word !== null);
  const found = (word: string | null) => (word === null ? null : heapOfWord(open, word));
  const missing = wanted.filter((word) => found(word) === null);
  const doubled = wanted.filter((word) => open.filter(({ name }) => name === word).length > 1);
  return {
    address: { ...address, heap: found(heap), other: found(other), heaps: heaps.flatMap((word) => found(word) ?? []) },
    faults: [
      ...faults,
      ...missing.map((word) => `The snapshot “${word}” of the address is not open here.`),
      ...doubled.map((word) => `Several snapshots are called “${word}”: this is the first of them.`),
    ],
    isMissing: missing.length > 0,
  };
}

/** Views of one snapshot, in which another one can be chosen. */
const OF_ANY: readonly ViewName[] = ["start", "tree-map", "census", "summary", "dominators"];

/** What was shown before stays: another snapshot would be taken for the one of the address. */
function stayElsewhere({ address, faults }: FoundAddress): Task<void> {
  return (dispatch, getState) => {
    const { diffing, individuals, leaks } = getState();
    const isShown = selectedSnapshot(getState()) || diffing || individuals || leaks;
    if (!isShown) {
      dispatch(changeView(OF_ANY.includes(address.view) ? STATES[address.view] : VIEW.START));
    }
    dispatch(noticeChanged([...faults, isShown ? "What was shown before stays." : "Choose one at the left."].join(" ")));
  };
}

/** Sets how things are shown. What of that is not known is in words. */
function showDisplays(address: Address): Task<string[]> {
  return (dispatch, getState) => {
    const faults: (string | null)[] = [];
    const wanted = <Display extends Parameters<typeof wordsOfDisplay>[1]>(
      known: KnownDisplays<Display>,
      words: { id: string; breakdown: string },
      shown: Display,
    ) => {
      const { display, fault } = displayOfWords(known, words, shown);
      faults.push(fault);
      return display;
    };
    const state = getState();
    const words = { id: address.display, breakdown: address.breakdown };
    if (isCounting(address.view) && !address.kind) {
      dispatch(setCensusDisplay(wanted(censusDisplaysOf(state), words, state.censusDisplay)));
    }
    if (address.view === "census" || address.view === "diff") {
      dispatch(setFilterString(address.filter));
      dispatch(setSort(address.by === "class" ? state.sort : address.sort));
    }
    if (address.view === "summary") {
      dispatch(setFilterString(address.filter));
      dispatch(setSummarySort(address.sort));
    }
    if (address.view === "tree-map") {
      dispatch(setTreeMapDisplay(wanted(treeMapDisplaysOf(state), words, state.treeMapDisplay)));
    }
    if (isLabelling(address.view)) {
      const labels = { id: address.labels, breakdown: address.labelBreakdown };
      dispatch(setLabelDisplay(wanted(labelDisplaysOf(state), labels, state.labelDisplay)));
    }
    dispatch(setGrouping(address.by === "class" && address.view === "dominators" ? "class" : "node"));
    return faults.filter((fault) => fault !== null);
  };
}

/** Shows what an address says, as far as that is there, and says what is not. */
export async function follow({ dispatch, getState }: Store, found: FoundAddress): Promise<void> {
  const { address } = found;
  if (found.isMissing) {
    dispatch(stayElsewhere(found));
    return;
  }
  const unknown = dispatch(showDisplays(address));
  const faults = [...found.faults, ...unknown];
  dispatch(noticeChanged(faults.length > 0 ? faults.join(" ") : null));
  if (address.view === "diff" || address.view === "leaks") {
    await dispatch(followComparison(address));
    return;
  }
  const heap = snapshotAt(getState(), address.heap) ?? (address.heap === null ? (getState().snapshots[0] ?? null) : null);
  if (heap) {
    dispatch(selectSnapshot({ id: heap.id }));
  }
  if (heap && address.node !== null && (await dispatch(isOfOtherFile(address, heap)))) {
    dispatch(changeView(address.view === "object" ? VIEW.START : STATES[address.view]));
    const why = `The address is of another file called “${heap.name}”, in which its object is: this one has others.`;
    dispatch(noticeChanged([...faults, why].join(" ")));
    await dispatch(refresh());
    return;
  }
  if (heap && address.view === "individuals") {
    await dispatch(followIndividuals(address, heap, unknown.length > 0));
    return;
  }
  dispatch(changeView(STATES[address.view]));
  if (address.view === "object" && heap && address.node !== null) {
    await dispatch(readSnapshot(heap.id));
    await dispatch(openObject(heap.id, address.node));
    return;
  }
  await dispatch(refresh());
  if (heap && address.view === "tree-map") {
    dispatch(setTreeMapZoom({ id: heap.id, zoom: address.zoom }));
  }
  if (address.view === "dominators" && heap && address.node !== null) {
    await dispatch(revealDominator(heap.id, address.node));
  } else if (address.view === "tree-map" && heap && address.node !== null) {
    await dispatch(seekObjectInTreeMap(heap.id, address.node));
  }
}

/** Whether an address of an object is of another file that has the same name. */
function isOfOtherFile({ of }: Address, heap: Snapshot): Task<Promise<boolean>> {
  return async (dispatch, getState) => {
    if (of === "" || !isMarkOf(of, fileMark(heap.size, null))) {
      return of !== "";
    }
    await dispatch(readSnapshot(heap.id));
    return !isMarkOf(of, fileMark(heap.size, snapshotOf(getState(), heap.id)?.info ?? null));
  };
}

function followComparison(address: Address): Task {
  return async (dispatch, getState) => {
    const [heap, other] = [snapshotAt(getState(), address.heap), snapshotAt(getState(), address.other)];
    if (address.view === "diff" && heap && other) {
      await dispatch(compareSnapshots(heap.id, other.id));
      if (address.by === "class") {
        const chosen = { key: address.row, side: address.side === "deleted" ? ("deleted" as const) : ("created" as const) };
        await dispatch(showClassDiff(true, address.sort, address.anyway === "1", chosen));
      }
    } else if (address.view === "diff" && heap) {
      dispatch(changeView(STATES[address.view]));
      await dispatch(selectForDiffing(heap.id)); // the other one is to be chosen still
    } else if (address.view === "leaks" && address.heaps.length > 1) {
      const ids = address.heaps.map((path) => snapshotAt(getState(), path)?.id).filter((id) => id !== undefined);
      await dispatch(showLeaks(ids, { allowsOtherProcess: address.anyway === "1" }));
    } else {
      dispatch(changeView(STATES[address.view]));
      await dispatch(refresh());
    }
  };
}

/** Numbers of rows mean what they meant only in the same file, grouped in the same way. */
function followIndividuals(address: Address, heap: Snapshot, isOtherwise: boolean): Task {
  return async (dispatch, getState) => {
    const { kind, indices, bytes } = address;
    const isOther = bytes !== "" && Number(bytes) !== heap.size;
    dispatch(changeView(kind ? VIEW.START : VIEW.CENSUS));
    await dispatch(readSnapshot(heap.id));
    if (kind) {
      await dispatch(showIndividuals(heap.id, { className: kind }));
    } else if (indices && !isOther && !isOtherwise) {
      const { breakdown: censusBreakdown } = getState().censusDisplay;
      await dispatch(showIndividuals(heap.id, { censusBreakdown, indices: new Set(indices.split(",").map(Number)) }));
    } else {
      const why = isOther
        ? `The address is of another “${heap.name}”, of ${formatNumber(Number(bytes))} bytes: which row it means is not known.`
        : "The address names no row whose objects could be listed.";
      dispatch(noticeChanged([getState().notice, why].filter(Boolean).join(" ")));
      await dispatch(refresh());
    }
  };
}
