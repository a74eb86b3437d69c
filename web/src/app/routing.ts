// SPDX-License-Identifier: MIT
// The address and the state follow each other: a change of view, heap or object is a step in the browser's history, other changes replace
// the address.
import { addressOf, addressText, NOWHERE, type Address, type ViewName } from "../logic/address";
import { CENSUS_DISPLAYS, customDisplays, DEFAULT_DISPLAY, LABEL_DISPLAYS, TREE_MAP_DISPLAYS } from "../logic/displays";
import type { State, Store } from "../store";
import {
  selectSnapshot,
  setCensusDisplay,
  setFilterString,
  setGrouping,
  setLabelDisplay,
  setSort,
  setTreeMapDisplay,
} from "../store/actions";
import { LEAKS, VIEW, type ViewState } from "../store/models";
import { selectedSnapshot, snapshotAt, snapshotOf, titleOf } from "../store/selectors";
import { seekObjectInTreeMap } from "../store/tasks/census";
import { chooseClass, compareSnapshots, showClassDiff } from "../store/tasks/diffing";
import { fetchIndividuals, openObject, revealDominator } from "../store/tasks/dominators";
import { showLeaks } from "../store/tasks/leaks";
import { changeView, readSnapshot, refresh } from "../store/tasks/views";
import type { CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";
import type { NodeId } from "../types/heap";

const NAMES: Record<ViewState, ViewName> = {
  [VIEW.START]: "start",
  [VIEW.TREE_MAP]: "tree-map",
  [VIEW.CENSUS]: "census",
  [VIEW.DOMINATOR_TREE]: "dominators",
  [VIEW.DIFFING]: "diff",
  [VIEW.LEAKS]: "leaks",
  [VIEW.INDIVIDUALS]: "individuals",
  [VIEW.OBJECT]: "object",
  [VIEW.SETTINGS]: "settings",
};
const STATES = Object.fromEntries(Object.entries(NAMES).map(([state, name]) => [name, state])) as Record<ViewName, ViewState>;

/** Turned over is marked by a sign behind the id of a display that is not so by itself. */
const TURNED = "~";

function displaysOf(state: State) {
  return { ...CENSUS_DISPLAYS, ...customDisplays(state.preferences.customCensusDisplays).displays };
}

function displayText(state: State): string {
  const { censusDisplay: display } = state;
  const found = Object.entries(displaysOf(state)).find(([, one]) => one.displayName === display.displayName);
  const id = found?.[0] ?? DEFAULT_DISPLAY;
  const isTurned = found && found[1].inverted !== display.inverted;
  return id === DEFAULT_DISPLAY && !isTurned ? "" : id + (isTurned ? TURNED : "");
}

function displayOf(state: State, text: string): CensusDisplay {
  const id = text.replace(TURNED, "") || DEFAULT_DISPLAY;
  const found = displaysOf(state)[id] ?? (CENSUS_DISPLAYS[DEFAULT_DISPLAY] as CensusDisplay);
  const isSame = state.censusDisplay.displayName === found.displayName;
  if (text.endsWith(TURNED)) {
    return isSame && state.censusDisplay.inverted !== found.inverted ? state.censusDisplay : { ...found, inverted: !found.inverted };
  }
  return isSame && state.censusDisplay.inverted === found.inverted ? state.censusDisplay : found;
}

type Named = { displayName: string };

const labelDisplays = (state: State): Record<string, LabelDisplay> => {
  return { ...LABEL_DISPLAYS, ...customDisplays(state.preferences.customLabelDisplays).displays };
};
const treeMapDisplays = (state: State): Record<string, TreeMapDisplay> => {
  return { ...TREE_MAP_DISPLAYS, ...customDisplays(state.preferences.customTreeMapDisplays).displays };
};

/** The id of a display; "" of the default. */
function idOf(displays: Record<string, Named>, display: Named): string {
  const id = Object.entries(displays).find(([, one]) => one.displayName === display.displayName)?.[0] ?? DEFAULT_DISPLAY;
  return id === DEFAULT_DISPLAY ? "" : id;
}

/** The display of an id. The one that is shown stays if it is that: what is drawn with it need not be drawn again. */
function displayAt<Display extends Named>(displays: Record<string, Display>, id: string, shown: Display): Display {
  const found = displays[id] ?? (displays[DEFAULT_DISPLAY] as Display);
  return found.displayName === shown.displayName ? shown : found;
}

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

export function addressOfState(state: State): Partial<Address> {
  const view = NAMES[state.view.state];
  const { diffing, individuals, leaks } = state;
  const heap = (diffing ? snapshotOf(state, diffing.firstSnapshotId) : selectedSnapshot(state))?.path ?? null;
  const isCounted = view === "census" || view === "diff" || view === "individuals";
  return {
    view,
    heap: view === "settings" ? null : heap,
    heaps: (leaks?.state === LEAKS.SELECTING ? [] : (leaks?.ids ?? [])).map((id) => snapshotOf(state, id)?.path ?? ""),
    anyway: leaks?.allowsOtherProcess ? "1" : "",
    other: snapshotOf(state, diffing?.secondSnapshotId ?? null)?.path ?? null,
    node: shownNode(state),
    display: isCounted ? displayText(state) : view === "tree-map" ? idOf(treeMapDisplays(state), state.treeMapDisplay) : "",
    filter: isCounted && view !== "individuals" ? (state.filter ?? "") : "",
    sort: diffing?.byClass ? diffing.byClass.sort : isCounted && view !== "individuals" ? state.sort : "",
    by: diffing?.byClass || (view === "dominators" && state.grouping === "class") ? "class" : "",
    row: diffing?.byClass?.members?.key ?? "",
    side: diffing?.byClass?.members?.side === "deleted" ? "deleted" : "",
    labels: view === "dominators" || view === "individuals" ? idOf(labelDisplays(state), state.labelDisplay) : "",
    indices: individuals ? [...(individuals.indices ?? [])].join(",") : "",
  };
}

/** Shows what an address says, as far as that is there. */
async function follow(store: Store, address: Address): Promise<void> {
  const { dispatch, getState } = store;
  const heap = snapshotAt(getState(), address.heap) ?? (address.heap === null ? (getState().snapshots[0] ?? null) : null);
  const other = snapshotAt(getState(), address.other);
  if (address.view === "census" || address.view === "diff" || address.view === "individuals") {
    dispatch(setCensusDisplay(displayOf(getState(), address.display)));
    dispatch(setFilterString(address.filter));
    dispatch(setSort(address.by === "class" ? getState().sort : address.sort));
  }
  if (address.view === "tree-map") {
    dispatch(setTreeMapDisplay(displayAt(treeMapDisplays(getState()), address.display, getState().treeMapDisplay)));
  }
  dispatch(setLabelDisplay(displayAt(labelDisplays(getState()), address.labels, getState().labelDisplay)));
  dispatch(setGrouping(address.by === "class" && address.view !== "diff" ? "class" : "node"));
  if (address.view === "diff" && heap && other) {
    await dispatch(compareSnapshots(heap.id, other.id));
    if (address.by === "class") {
      await dispatch(showClassDiff(true, address.sort));
      dispatch(chooseClass(address.row, address.side === "deleted" ? "deleted" : "created"));
    }
    return;
  }
  if (address.view === "leaks" && address.heaps.length > 1) {
    const ids = address.heaps.map((path) => snapshotAt(getState(), path)?.id).filter((id) => id !== undefined);
    await dispatch(showLeaks(ids, { allowsOtherProcess: address.anyway === "1" }));
    return;
  }
  if (heap && address.view !== "leaks") {
    dispatch(selectSnapshot({ id: heap.id }));
  }
  if (address.view === "individuals" && heap) {
    dispatch(changeView(VIEW.CENSUS));
    await dispatch(readSnapshot(heap.id));
    const indices = new Set(address.indices.split(",").map(Number));
    await dispatch(fetchIndividuals(heap.id, getState().censusDisplay.breakdown, indices));
    return;
  }
  dispatch(changeView(STATES[address.view]));
  if (address.view === "object" && heap && address.node !== null) {
    await dispatch(readSnapshot(heap.id));
    await dispatch(openObject(heap.id, address.node));
    return;
  }
  await dispatch(refresh());
  if (address.view === "dominators" && heap && address.node !== null) {
    await dispatch(revealDominator(heap.id, address.node));
  } else if (address.view === "tree-map" && heap && address.node !== null) {
    await dispatch(seekObjectInTreeMap(heap.id, address.node));
  }
}

/** By which tabs of the browser are told apart. */
function windowTitle(state: State): string {
  const snapshot = selectedSnapshot(state);
  return [NAMES[state.view.state], snapshot && titleOf(snapshot), "ubiheap"].filter(Boolean).join(" · ");
}

/** What is looked at; the rest is how. */
const sightOf = ({ view, heap, other, heaps, node }: Partial<Address>) =>
  [view, heap, other, heaps, view === "object" ? node : ""].join(" ");
/** Steps in the history are for what these say; the rest replaces. */
const stepOf = (address: Partial<Address>) => `${sightOf(address)} ${address.view === "diff" ? address.by : ""}`;

export async function startRouting(store: Store): Promise<void> {
  /** What an address says comes in several steps, which are one in the history, until somebody looks at something else. */
  let followed: { sight: string; isReached: boolean } | null = null;
  let step = "";
  /** The address that was written or followed last: where it is another, one has clicked on a link, and that is followed soon. */
  let known = location.hash;
  const followHash = () => {
    known = location.hash;
    const wanted = addressOf(location.hash);
    const own = { sight: sightOf(wanted), isReached: false };
    followed = own;
    return follow(store, wanted).finally(() => {
      if (followed === own) {
        followed = null;
        write("replaceState");
      }
    });
  };
  const isOnTheWay = (address: Partial<Address>) => {
    const isThere = followed?.sight === sightOf({ ...NOWHERE, ...address });
    if (followed?.isReached && !isThere) {
      followed = null;
    } else if (followed && isThere) {
      followed.isReached = true;
    }
    return followed !== null;
  };
  const write = (how: "pushState" | "replaceState") => {
    const address = addressOfState(store.getState());
    document.title = windowTitle(store.getState());
    const text = addressText(address);
    if (location.hash !== known) {
      return;
    }
    step = stepOf(address);
    if (text !== location.hash) {
      history[how](null, "", text);
      known = location.hash;
    }
  };
  window.addEventListener("hashchange", () => void followHash());
  store.subscribe(() => {
    const address = addressOfState(store.getState());
    write(isOnTheWay(address) || stepOf(address) === step ? "replaceState" : "pushState");
  });
  await followHash();
}
