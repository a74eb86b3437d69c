// SPDX-License-Identifier: MIT
// The address and the state follow each other: a change of view, heap or object is a step in the browser's history, other changes replace
// the address.
import { addressOf, addressText, type Address, type ViewName } from "../logic/address";
import { CENSUS_DISPLAYS, customDisplays, DEFAULT_DISPLAY, LABEL_DISPLAYS } from "../logic/displays";
import type { State, Store } from "../store";
import { selectSnapshot, setCensusDisplay, setFilterString, setGrouping, setLabelDisplay, setSort } from "../store/actions";
import { VIEW, type ViewState } from "../store/models";
import { selectedSnapshot, snapshotAt, snapshotOf } from "../store/selectors";
import { seekObjectInTreeMap } from "../store/tasks/census";
import { compareSnapshots } from "../store/tasks/diffing";
import { fetchIndividuals, openObject, revealDominator } from "../store/tasks/dominators";
import { changeView, readSnapshot, refresh } from "../store/tasks/views";
import type { CensusDisplay, LabelDisplay } from "../types/breakdown";
import type { NodeId } from "../types/heap";

const NAMES: Record<ViewState, ViewName> = {
  [VIEW.START]: "start",
  [VIEW.TREE_MAP]: "tree-map",
  [VIEW.CENSUS]: "census",
  [VIEW.DOMINATOR_TREE]: "dominators",
  [VIEW.DIFFING]: "diff",
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

function labelsText(state: State): string {
  const id = Object.entries(LABEL_DISPLAYS).find(([, one]) => one === state.labelDisplay)?.[0] ?? DEFAULT_DISPLAY;
  return id === DEFAULT_DISPLAY ? "" : id;
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
  const { diffing, individuals } = state;
  const heap = (diffing ? snapshotOf(state, diffing.firstSnapshotId) : selectedSnapshot(state))?.path ?? null;
  const isCounted = view === "census" || view === "diff" || view === "individuals";
  return {
    view,
    heap: view === "settings" ? null : heap,
    other: snapshotOf(state, diffing?.secondSnapshotId ?? null)?.path ?? null,
    node: shownNode(state),
    display: isCounted ? displayText(state) : "",
    filter: isCounted && view !== "individuals" ? (state.filter ?? "") : "",
    sort: isCounted && view !== "individuals" ? state.sort : "",
    labels: view === "dominators" || view === "individuals" ? labelsText(state) : "",
    by: view === "dominators" && state.grouping === "class" ? "class" : "",
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
    dispatch(setSort(address.sort));
  }
  dispatch(setLabelDisplay((LABEL_DISPLAYS[address.labels] ?? LABEL_DISPLAYS[DEFAULT_DISPLAY]) as LabelDisplay));
  dispatch(setGrouping(address.by === "class" ? "class" : "node"));
  if (address.view === "diff" && heap && other) {
    await dispatch(compareSnapshots(heap.id, other.id));
    return;
  }
  if (heap) {
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

/** Steps in the history are for what these say; the rest replaces. */
const stepOf = ({ view, heap, other, node }: Partial<Address>) => [view, heap, other, view === "object" ? node : ""].join(" ");

export async function startRouting(store: Store): Promise<void> {
  let isFollowing = false;
  let step = "";
  /** The address that was written or followed last: where it is another, one has clicked on a link, and that is followed soon. */
  let known = location.hash;
  const followHash = () => {
    known = location.hash;
    const wanted = addressOf(location.hash);
    isFollowing = true;
    const done = follow(store, wanted).finally(() => write("replaceState"));
    isFollowing = false;
    return done;
  };
  const write = (how: "pushState" | "replaceState") => {
    const address = addressOfState(store.getState());
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
    if (!isFollowing) {
      const next = stepOf(addressOfState(store.getState()));
      write(next === step ? "replaceState" : "pushState");
    }
  });
  await followHash();
}
