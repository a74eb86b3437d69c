// SPDX-License-Identifier: MIT
// Tasks about whole snapshots: what is open on the server, importing, deleting.
import { ServerError } from "../../api/errors";
import type { OpenHeap } from "../../types/heap";
import type { State, Task } from "..";
import * as a from "../actions";
import { CONNECTION, isClearable, newSnapshot, SNAPSHOT, VIEW, type Progress, type Snapshot, type SnapshotId } from "../models";
import { allocationsOf, neighbourOf, snapshotAt, snapshotOf } from "../selectors";
import { cancelOf, errorText, joined, namedError } from "./context";
import { changeView, computeSnapshotData, popViewAndRefresh, readSnapshot, selectSnapshotAndRefresh } from "./views";

function snapshotOfHeap({ id, name, kind, what, size, origin, fault }: OpenHeap): Snapshot {
  const known = { path: id, name, kind, what: what ?? null, size, imported: origin !== "saved" };
  const state = fault === undefined ? SNAPSHOT.SAVED : SNAPSHOT.ERROR;
  return { ...newSnapshot(), ...known, state, error: fault ?? null };
}

/** Lists what is open on the server, and drops what is not any more. */
export function listSnapshots(): Task {
  return async (dispatch, getState, context) => {
    const { client, arriving } = context;
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
      for (const heap of heaps.filter(({ id }) => arriving.size === 0 && !snapshotAt(getState(), id))) {
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

/** Opens a file that was overwritten again, in place of what was open of it, and shows it. */
export function openAgain(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `open again ${id}`, async () => {
      const { path, name } = snapshotOf(getState(), id) ?? {};
      if (!path) {
        return;
      }
      context.arriving.add(id);
      try {
        const snapshot = snapshotOfHeap(await context.client.openHeapAgain(path));
        cancelOf(context, id).abort();
        dispatch(leaveModes());
        dispatch(a.replaceSnapshot({ id, snapshot }));
        dispatch(a.noticeChanged(null));
        await dispatch(selectSnapshotAndRefresh(snapshot.id));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(name, error)));
      } finally {
        context.arriving.delete(id);
      }
    });
}

/** Leaves what is of other snapshots than a new one. */
function leaveModes(): Task<void> {
  return (dispatch, getState) => {
    const { diffing, individuals, leaks, view } = getState();
    if (diffing || individuals || leaks || view.state === VIEW.SETTINGS || view.state === VIEW.OBJECT) {
      dispatch(changeView(diffing || individuals ? VIEW.CENSUS : VIEW.START));
    }
  };
}

/** Sends a file to the server and reads it there. What was cancelled meanwhile is deleted there. */
function importOne(id: SnapshotId, file: File, signal: AbortSignal): Task {
  return async (dispatch, getState, context) => {
    const isWanted = () => snapshotOf(getState(), id) !== null;
    if (!isWanted()) {
      return;
    }
    try {
      const heap = await context.client.importHeapSnapshot(file, file.name, {
        signal,
        onProgress: (progress) => void dispatch(a.snapshotProgress({ id, progress })),
      });
      if (!isWanted()) {
        await context.client.deleteOpenHeap(heap.id);
        return;
      }
      dispatch(a.importSnapshotEnd({ id, path: heap.id, kind: heap.kind, what: heap.what ?? null }));
      await dispatch(readSnapshot(id));
      await dispatch(computeSnapshotData(id));
    } catch (error) {
      dispatch(errorText(error) === null ? a.deleteSnapshotsStart({ ids: [id] }) : a.snapshotError({ id, error: errorText(error) ?? "" }));
    }
  };
}

const WAITING: Progress = { stage: "waiting for the files before it" };

/** Several files are in the list at once, and sent one after the other, so that the first is there soonest. It is selected. */
export function importFiles(files: File[]): Task {
  return async (dispatch, _getState, context) => {
    const imports = files.map((file) => {
      const snapshot = { ...newSnapshot(), state: SNAPSHOT.IMPORTING, name: file.name, size: file.size, imported: true, progress: WAITING };
      context.arriving.add(snapshot.id);
      return { file, snapshot, signal: cancelOf(context, snapshot.id).signal };
    });
    const [first] = imports;
    if (!first) {
      return;
    }
    dispatch(leaveModes());
    imports.forEach(({ snapshot }) => dispatch(a.importSnapshotStart({ snapshot })));
    dispatch(a.selectSnapshot({ id: first.snapshot.id }));
    for (const { file, snapshot, signal } of imports) {
      await dispatch(importOne(snapshot.id, file, signal));
      context.arriving.delete(snapshot.id);
    }
  };
}

/** Ends what runs for a snapshot. Nothing remains of one that is being imported. */
export function cancelSnapshot(id: SnapshotId): Task {
  return async (dispatch, getState, context) => {
    if (context.arriving.has(id) && snapshotOf(getState(), id)?.imported) {
      await dispatch(deleteSnapshots([id]));
    } else {
      cancelOf(context, id).abort();
    }
  };
}

function deleteSnapshots(ids: SnapshotId[]): Task {
  return async (dispatch, getState, context) => {
    const { diffing, individuals, snapshots } = getState();
    const paths = snapshots.filter((snapshot) => ids.includes(snapshot.id)).map(({ path }) => path);
    ids.forEach((id) => cancelOf(context, id).abort());
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

/** Deletes one snapshot: closes its heap on the server, and deletes its file there if it was sent. If it was shown, its neighbour is then. */
export function deleteSnapshot(id: SnapshotId): Task {
  return async (dispatch, getState) => {
    const { snapshots } = getState();
    const isShown = snapshotOf(getState(), id)?.selected;
    const next = neighbourOf(snapshots, id);
    const deleted = dispatch(deleteSnapshots([id]));
    if (isShown && next) {
      await dispatch(selectSnapshotAndRefresh(next.id));
    }
    await deleted;
  };
}

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
    if (getState().diffing || getState().individuals || getState().leaks) {
      dispatch(changeView(VIEW.CENSUS));
    }
    const name = nameOfNext(getState(), target);
    const snapshot = newSnapshot();
    const { id } = snapshot;
    context.arriving.add(id);
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
    } finally {
      context.arriving.delete(id);
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
    const { recording, togglingInProgress, ...how } = allocationsOf(getState(), target);
    if (togglingInProgress) {
      return;
    }
    dispatch(a.toggleRecordAllocationStacksStart({ target }));
    try {
      await client.recordAllocations(target, !recording, how);
      dispatch(a.toggleRecordAllocationStacksEnd({ target }));
    } catch (error) {
      dispatch(a.toggleRecordAllocationStacksEnd({ target }));
      dispatch(a.noticeChanged(errorText(error)));
    }
    await dispatch(listTargets());
  };
}
