// SPDX-License-Identifier: MIT
import type { NodeId } from "../../types/heap";
import type { Task } from "..";
import { pathsEnd, pathsError, pathsStart } from "../actions";
import type { SnapshotId } from "../models";
import { snapshotOf } from "../selectors";
import { errorText, joined } from "./context";

/** Looks for the paths that are wanted last, one search at a time: what was wanted meanwhile and is not any more is never looked for. */
function lookForPaths(): Task {
  return async (dispatch, getState, { client }) => {
    for (;;) {
      const { paths, preferences } = getState();
      const heap = paths && snapshotOf(getState(), paths.id)?.path;
      if (!paths || !heap || paths.graph || paths.error !== null) {
        return;
      }
      const { id, nodeId } = paths;
      try {
        dispatch(pathsEnd({ id, nodeId, graph: await client.getShortestPaths(heap, nodeId, preferences.maxRetainingPaths) }));
      } catch (error) {
        dispatch(pathsError({ id, nodeId, error: errorText(error) ?? "Looking was cancelled." }));
      }
    }
  };
}

/** The retaining paths of one node, which replace those of the node before. */
export function fetchPaths(id: SnapshotId, nodeId: NodeId): Task {
  return async (dispatch, getState, context) => {
    const { paths } = getState();
    const isKnown = paths?.id === id && paths.nodeId === nodeId && paths.error === null;
    if (!snapshotOf(getState(), id)?.path || (isKnown && paths.graph)) {
      return;
    }
    if (!isKnown) {
      dispatch(pathsStart({ id, nodeId }));
    }
    await joined(context, "paths", () => dispatch(lookForPaths()));
  };
}
