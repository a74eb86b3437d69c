// SPDX-License-Identifier: MIT
// Tasks that change what is shown, and bring what that needs.
import type { CensusDisplay, LabelDisplay, TreeMapDisplay } from "../../types/breakdown";
import type { Task } from "..";
import * as a from "../actions";
import { isRead, SNAPSHOT, VIEW, type Snapshot, type SnapshotId, type ViewState } from "../models";
import { selectedSnapshot, snapshotOf } from "../selectors";
import { takeCensus, takeReport, takeTreeMap, TOTAL_SIZE } from "./census";
import { cancelOf, errorText, joined } from "./context";
import { refreshDiffing } from "./diffing";
import { computeAndFetchDominatorTree, showIndividuals } from "./dominators";
import { takeSummary } from "./summary";

export function changeView(newViewState: ViewState): Task<void> {
  return (dispatch, getState) => {
    const { diffing } = getState();
    dispatch(a.changeView({ newViewState, oldDiffing: diffing, oldSelected: selectedSnapshot(getState())?.id ?? null }));
  };
}

/** Reads a snapshot that is saved or imported, once. */
export function readSnapshot(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `read ${id}`, async () => {
      const snapshot = snapshotOf(getState(), id);
      const isReadable = snapshot?.state === SNAPSHOT.SAVED || snapshot?.state === SNAPSHOT.IMPORTING;
      if (!snapshot?.path || !isReadable) {
        return;
      }
      dispatch(a.readSnapshotStart({ id }));
      try {
        const options = {
          signal: cancelOf(context, id).signal,
          onProgress: (progress: { stage: string }) => void dispatch(a.snapshotProgress({ id, progress })),
        };
        await context.client.readHeapSnapshot(snapshot.path, options);
        const info = snapshot.kind === "heap" ? await context.client.getInfo(snapshot.path) : null;
        dispatch(a.readSnapshotEnd({ id, info }));
      } catch (error) {
        dispatch(a.snapshotError({ id, error: errorText(error) ?? "Reading was cancelled." }));
      }
    });
}

/** What the view shows of a snapshot that is read. */
export function computeSnapshotData(id: SnapshotId): Task {
  return async (dispatch, getState) => {
    const snapshot = snapshotOf(getState(), id);
    if (!snapshot || !isRead(snapshot)) {
      return;
    }
    const { state } = getState().view;
    if (snapshot.kind !== "heap" || state === VIEW.START) {
      await dispatch(takeReport(id));
    } else if (state === VIEW.CENSUS) {
      await dispatch(takeCensus(id));
    } else if (state === VIEW.TREE_MAP) {
      await dispatch(takeTreeMap(id));
    } else if (!snapshot.treeMap?.report) {
      // The list shows the map's total, whatever the view.
      await dispatch(takeTreeMap(id, TOTAL_SIZE));
    }
    if (snapshot.kind === "heap" && getState().view.state === VIEW.SUMMARY) {
      await dispatch(takeSummary(id));
    }
    if (snapshot.kind === "heap" && getState().view.state === VIEW.DOMINATOR_TREE) {
      await dispatch(computeAndFetchDominatorTree(id));
    }
  };
}

/** Brings what is shown up to date. Models that are in progress are left to their tasks. */
export function refresh(): Task {
  return async (dispatch, getState) => {
    const { view, individuals } = getState();
    const snapshot = selectedSnapshot(getState());
    if (view.state === VIEW.DIFFING) {
      await dispatch(refreshDiffing());
    } else if (view.state === VIEW.INDIVIDUALS) {
      if (individuals?.id && individuals.of) {
        await dispatch(showIndividuals(individuals.id, individuals.of));
      }
    } else if (snapshot) {
      await dispatch(readAndCompute(snapshot));
    }
  };
}

function readAndCompute(snapshot: Snapshot): Task {
  return async (dispatch) => {
    await dispatch(readSnapshot(snapshot.id));
    await dispatch(computeSnapshotData(snapshot.id));
  };
}

/** What was said of what was shown before is not true of what is shown then. */
function forgetNotice(): Task<void> {
  return (dispatch, getState) => {
    if (getState().notice !== null) {
      dispatch(a.noticeChanged(null));
    }
  };
}

/** Leaves differences and individuals, and shows a snapshot. */
export function selectSnapshotAndRefresh(id: SnapshotId): Task {
  return async (dispatch, getState) => {
    dispatch(forgetNotice());
    const { diffing, individuals, leaks, view } = getState();
    if (diffing || individuals || leaks || view.state === VIEW.OBJECT || view.state === VIEW.SETTINGS) {
      dispatch(changeView(diffing || individuals ? VIEW.CENSUS : VIEW.START));
    }
    dispatch(a.selectSnapshot({ id }));
    await dispatch(refresh());
  };
}

/** The one before or behind the selected; with none selected both are the first. */
export function selectNeighbour(step: 1 | -1): Task {
  return async (dispatch, getState) => {
    const { snapshots } = getState();
    const at = snapshots.findIndex((snapshot) => snapshot.selected);
    const next = snapshots[at < 0 ? 0 : Math.max(0, Math.min(snapshots.length - 1, at + step))];
    if (next) {
      await dispatch(selectSnapshotAndRefresh(next.id));
    }
  };
}

/** A view of one snapshot, which is the selected one where none is named. */
export function changeViewAndRefresh(view: ViewState): Task {
  return async (dispatch, getState) => {
    const { diffing, leaks, snapshots } = getState();
    dispatch(forgetNotice());
    dispatch(changeView(view));
    const last = diffing ? (diffing.secondSnapshotId ?? diffing.firstSnapshotId) : leaks?.ids[leaks.ids.length - 1];
    const back = (diffing || leaks) && (last ?? snapshots[0]?.id);
    if (back && view !== VIEW.DIFFING && view !== VIEW.LEAKS && !selectedSnapshot(getState())) {
      dispatch(a.selectSnapshot({ id: back }));
    }
    await dispatch(refresh());
  };
}

export function popViewAndRefresh(): Task {
  return async (dispatch, getState) => {
    const { previous } = getState().view;
    if (previous) {
      dispatch(forgetNotice());
      dispatch(a.popView({ previousView: previous }));
      await dispatch(refresh());
    }
  };
}

export function setFilterAndRefresh(filter: string): Task {
  return async (dispatch) => {
    dispatch(a.setFilterString(filter));
    await dispatch(refresh());
  };
}

export function setSortAndRefresh(sort: string): Task {
  return async (dispatch) => {
    dispatch(a.setSort(sort));
    await dispatch(refresh());
  };
}

export function setSummarySortAndRefresh(sort: string): Task {
  return async (dispatch) => {
    dispatch(a.setSummarySort(sort));
    await dispatch(refresh());
  };
}

export function setCensusDisplayAndRefresh(display: CensusDisplay): Task {
  return async (dispatch) => {
    dispatch(a.setCensusDisplay(display));
    await dispatch(refresh());
  };
}

export function setTreeMapDisplayAndRefresh(display: TreeMapDisplay): Task {
  return async (dispatch) => {
    dispatch(a.setTreeMapDisplay(display));
    await dispatch(refresh());
  };
}

export function setLabelDisplayAndRefresh(display: LabelDisplay): Task {
  return async (dispatch, getState) => {
    dispatch(a.setLabelDisplay(display));
    const snapshot = selectedSnapshot(getState());
    if (getState().view.state === VIEW.DOMINATOR_TREE && snapshot?.dominatorTree) {
      await dispatch(computeAndFetchDominatorTree(snapshot.id));
    } else {
      await dispatch(refresh());
    }
  };
}
