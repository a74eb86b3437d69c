// SPDX-License-Identifier: MIT
// Tasks about whole snapshots: what is open on the server, importing, deleting.
import { ServerError } from "../../api/errors";
import type { OpenHeap } from "../../types/heap";
import type { State, Task } from "..";
import * as a from "../actions";
import { CONNECTION, newSnapshot, SNAPSHOT, VIEW, type Snapshot, type SnapshotId } from "../models";
import { snapshotAt, snapshotOf } from "../selectors";
import { cancelOf, errorText } from "./context";
import { changeView, computeSnapshotData, popViewAndRefresh, readSnapshot } from "./views";

function snapshotOfHeap({ id, name, kind, what, size, origin, fault }: OpenHeap): Snapshot {
  const known = { path: id, name, kind, what: what ?? null, size, imported: origin !== "saved" };
  const state = fault === undefined ? SNAPSHOT.SAVED : SNAPSHOT.ERROR;
  return { ...newSnapshot(), ...known, state, error: fault ?? null };
}

/** Lists what is open on the server, and drops what is not any more. */
export function listSnapshots(): Task {
  return async (dispatch, getState, context) => {
    const { client } = context;
    try {
      const { server, heaps } = await client.listHeaps();
      context.server ??= server;
      if (server !== context.server) {
        dispatch(a.connectionChanged(CONNECTION.REPLACED));
        return;
      }
      const paths = new Set(heaps.map((heap) => heap.id));
      const gone = getState().snapshots.filter(({ path }) => path !== null && !paths.has(path));
      if (gone.length > 0) {
        dispatch(a.deleteSnapshotsStart({ ids: gone.map(({ id }) => id) }));
      }
      for (const heap of heaps.filter(({ id }) => !snapshotAt(getState(), id))) {
        dispatch(a.addSnapshot({ snapshot: snapshotOfHeap(heap) }));
      }
      noteFaults(heaps);
      dispatch(a.connectionChanged(CONNECTION.READY));
    } catch (error) {
      dispatch(a.connectionChanged(error instanceof ServerError ? CONNECTION.REFUSED : CONNECTION.LOST));
    }

    /** What another page has read, and found to be damaged. */
    function noteFaults(heaps: OpenHeap[]) {
      for (const { id: path, fault } of heaps) {
        const snapshot = snapshotAt(getState(), path);
        if (fault !== undefined && snapshot?.state === SNAPSHOT.SAVED) {
          dispatch(a.snapshotError({ id: snapshot.id, error: fault }));
        }
      }
    }
  };
}

/** Sends a file to the server and reads it there. */
export function importSnapshotAndCensus(file: File): Task {
  return async (dispatch, getState, context) => {
    const snapshot = { ...newSnapshot(), state: SNAPSHOT.IMPORTING, name: file.name, size: file.size, imported: true };
    const { id } = snapshot;
    const { signal } = cancelOf(context, id);
    leaveModes();
    dispatch(a.importSnapshotStart({ snapshot }));
    dispatch(a.selectSnapshot({ id }));
    try {
      const heap = await context.client.importHeapSnapshot(file, file.name, {
        signal,
        onProgress: (progress) => void dispatch(a.snapshotProgress({ id, progress })),
      });
      dispatch(a.importSnapshotEnd({ id, path: heap.id, kind: heap.kind, what: heap.what ?? null }));
    } catch (error) {
      dispatch(errorText(error) === null ? a.deleteSnapshotsStart({ ids: [id] }) : a.snapshotError({ id, error: errorText(error) ?? "" }));
      return;
    }
    await dispatch(readSnapshot(id));
    await dispatch(computeSnapshotData(id));

    function leaveModes() {
      const { diffing, individuals, view } = getState();
      if (diffing || individuals || view.state === VIEW.SETTINGS || view.state === VIEW.OBJECT) {
        dispatch(changeView(diffing || individuals ? VIEW.CENSUS : VIEW.START));
      }
    }
  };
}

/** Several files, one after the other, so that the first is there soonest. */
export function importFiles(files: File[]): Task {
  return async (dispatch) => {
    for (const file of files) {
      await dispatch(importSnapshotAndCensus(file));
    }
  };
}

/** Ends what runs for a snapshot. */
export function cancelSnapshot(id: SnapshotId): Task<void> {
  return (_dispatch, _getState, context) => cancelOf(context, id).abort();
}

function deleteSnapshots(ids: SnapshotId[]): Task {
  return async (dispatch, getState, context) => {
    const { diffing, individuals, snapshots } = getState();
    const paths = snapshots.filter((snapshot) => ids.includes(snapshot.id)).map(({ path }) => path);
    ids.forEach((id) => dispatch(cancelSnapshot(id)));
    dispatch(a.deleteSnapshotsStart({ ids }));
    const isDiffed = diffing && [diffing.firstSnapshotId, diffing.secondSnapshotId].some((id) => id !== null && ids.includes(id));
    if (isDiffed) {
      dispatch(changeView(VIEW.CENSUS));
    } else if (individuals) {
      await dispatch(popViewAndRefresh());
    }
    for (const path of paths) {
      // What was never read, or is gone already, need not be deleted.
      await context.client.deleteOpenHeap(path ?? "").catch(() => undefined);
    }
    dispatch(a.deleteSnapshotsEnd({ ids }));
  };
}

/** Deletes one snapshot: closes its heap on the server, and deletes its file there if it was sent. */
export function deleteSnapshot(id: SnapshotId): Task {
  return deleteSnapshots([id]);
}

const isClearable = ({ state }: Snapshot) => state === SNAPSHOT.ERROR || state === SNAPSHOT.READ;

/** Deletes all that is read; what is being saved or read stays. */
export function clearSnapshots(): Task {
  return async (dispatch, getState) => {
    const ids = getState()
      .snapshots.filter(isClearable)
      .map(({ id }) => id);
    await dispatch(deleteSnapshots(ids));
  };
}

/** Of the next snapshot of a live program: its name and a number, so that one is not taken for another. */
function nameOfNext(state: State, target: string): string {
  const known = state.targets.find(({ id }) => id === target)?.name ?? target;
  return `${known} ${state.snapshots.filter(({ imported }) => !imported).length + 1}`;
}

/** Saves the heap of a live program, and shows it. */
export function takeSnapshotAndCensus(target: string): Task {
  return async (dispatch, getState, context) => {
    if (getState().diffing || getState().individuals) {
      dispatch(changeView(VIEW.CENSUS));
    }
    const name = nameOfNext(getState(), target);
    const snapshot = newSnapshot();
    const { id } = snapshot;
    dispatch(a.takeSnapshotStart({ snapshot }));
    dispatch(a.selectSnapshot({ id }));
    try {
      const heap = await context.client.saveHeapSnapshot(target, name, {
        signal: cancelOf(context, id).signal,
        onProgress: (progress) => void dispatch(a.snapshotProgress({ id, progress })),
      });
      dispatch(a.takeSnapshotEnd({ id, path: heap.id, name: heap.name, size: heap.size, what: heap.what ?? null }));
    } catch (error) {
      dispatch(a.snapshotError({ id, error: errorText(error) ?? "Saving was cancelled." }));
      return;
    }
    if (snapshotOf(getState(), id)) {
      await dispatch(readSnapshot(id));
      await dispatch(computeSnapshotData(id));
    }
  };
}

/** Lists the live heaps that the server can save. */
export function listTargets(): Task {
  return async (dispatch, _getState, { client }) => {
    // Where the server does not answer, the list of snapshots says so.
    const targets = await client.listTargets().catch(() => null);
    if (targets) {
      dispatch(a.targetsCame(targets));
    }
  };
}

/** Switches the recording of allocation stacks in a live heap. */
export function toggleRecordingAllocationStacks(target: string): Task {
  return async (dispatch, getState, { client }) => {
    const { recording } = getState().allocations;
    dispatch(a.toggleRecordAllocationStacksStart());
    try {
      await client.recordAllocations(target, !recording);
      dispatch(a.toggleRecordAllocationStacksEnd());
    } catch (error) {
      dispatch(a.toggleRecordAllocationStacksEnd());
      dispatch(a.noticeChanged(errorText(error)));
    }
    await dispatch(listTargets());
  };
}
