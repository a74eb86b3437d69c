// SPDX-License-Identifier: MIT
// Tasks that look for leaks in several snapshots.
import { CANCELLED, type Leaks } from "../../logic/leaks";
import type { State, Task } from "..";
import * as a from "../actions";
import { LEAKS, VIEW, type SnapshotId } from "../models";
import { comparableOf, snapshotOf } from "../selectors";
import { cancelOf, errorText, joined } from "./context";
import { changeView, changeViewAndRefresh, readSnapshot } from "./views";

/** What ends a search: it belongs to no snapshot, and no snapshot has this id. */
const SEARCH: SnapshotId = 0;
/** Clusters that are shown at first. */
const SHOWN_CLUSTERS = 100;

export interface LeaksWanted {
  /** Puts the files into the order in which they were taken. */
  isReordered?: boolean;
  /** Also compares files of several processes. */
  allowsOtherProcess?: boolean;
  /** All clusters, however many. */
  isWhole?: boolean;
}

export function toggleLeaks(): Task {
  return async (dispatch, getState) => {
    await dispatch(changeViewAndRefresh(getState().view.state === VIEW.LEAKS ? VIEW.START : VIEW.LEAKS));
  };
}

/** Chooses a snapshot, or not any more; they stand in the order of the list. */
export function chooseForLeaks(id: SnapshotId): Task<void> {
  return (dispatch, getState) => {
    const { leaks, snapshots } = getState();
    const isChosen = leaks?.ids.includes(id);
    const wanted = snapshots.filter((one) => (one.id === id ? !isChosen : leaks?.ids.includes(one.id)));
    dispatch(a.chooseForLeaks({ ids: wanted.map((one) => one.id) }));
  };
}

/** Chooses all that can be compared. */
export function chooseAllForLeaks(): Task<void> {
  return (dispatch, getState) => {
    const ids = comparableOf(getState()).map(({ id }) => id);
    dispatch(a.chooseForLeaks({ ids }));
  };
}

/** The snapshots of the files of a report, in its order; those that were asked for if they cannot be found by name and time. */
function orderedAs({ snapshots }: State, ids: readonly SnapshotId[], { heaps }: Leaks): SnapshotId[] {
  const left = snapshots.filter(({ id }) => ids.includes(id));
  const ordered = heaps.map(({ file, created }) => {
    const time = created === undefined ? null : Math.floor(Date.parse(created) / 1000);
    const isIt = (one: (typeof left)[number]) =>
      one.name === file && (time === null || one.creationTime === null || Math.floor(one.creationTime / 1e6) === time);
    const at = left.findIndex(isIt);
    return at < 0 ? null : left.splice(at, 1)[0];
  });
  return ordered.every(Boolean) ? ordered.map((one) => one?.id ?? 0) : [...ids];
}

/** Looks for leaks in the snapshots that are chosen. */
export function findLeaks(wanted: LeaksWanted = {}): Task {
  return async (dispatch, getState, context) => {
    const ids = getState().leaks?.ids ?? [];
    if (ids.length < 2) {
      return;
    }
    const { isReordered = false, allowsOtherProcess = false, isWhole = false } = wanted;
    await joined(context, `leaks ${ids.join(" ")} ${isReordered} ${allowsOtherProcess} ${isWhole}`, async () => {
      dispatch(a.findLeaksStart({ allowsOtherProcess }));
      const { signal } = cancelOf(context, SEARCH);
      try {
        await Promise.all(ids.map((id) => dispatch(readSnapshot(id))));
        const paths = ids.map((id) => snapshotOf(getState(), id)?.path ?? "");
        const question = { reorder: isReordered, allowOtherProcess: allowsOtherProcess, limit: isWhole ? 0 : SHOWN_CLUSTERS };
        const report = await context.client.getLeaks(paths, question, {
          signal,
          onProgress: (progress) => void dispatch(a.leaksProgress({ progress })),
        });
        dispatch(a.findLeaksEnd({ ids, ordered: isReordered ? orderedAs(getState(), ids, report) : [...ids], report }));
      } catch (error) {
        dispatch(a.leaksError({ ids, error: errorText(error) ?? CANCELLED }));
      }
    });
  };
}

export function cancelLeaks(): Task<void> {
  return (_dispatch, _getState, context) => cancelOf(context, SEARCH).abort();
}

/** The leaks of these snapshots, from the beginning. */
export function showLeaks(ids: SnapshotId[], wanted: LeaksWanted = {}): Task {
  return async (dispatch, getState) => {
    const { leaks } = getState();
    const isShown = leaks?.state === LEAKS.FOUND && leaks.ids.join() === ids.join();
    if (!isShown || leaks.allowsOtherProcess !== (wanted.allowsOtherProcess ?? false)) {
      dispatch(changeView(VIEW.LEAKS));
      dispatch(a.chooseForLeaks({ ids }));
      await dispatch(findLeaks(wanted));
    }
  };
}
