// SPDX-License-Identifier: MIT
import type { NodeId } from "../../types/heap";
import type { Task } from "..";
import { pathsEnd, pathsError, pathsStart } from "../actions";
import type { SnapshotId } from "../models";
import { snapshotOf } from "../selectors";
import { errorText, joined } from "./context";

/** The retaining paths of one node, which replace those of the node before. */
export function fetchPaths(id: SnapshotId, nodeId: NodeId): Task {
  return (dispatch, getState, context) =>
    joined(context, `paths ${id} ${nodeId}`, async () => {
      const { paths, preferences } = getState();
      const path = snapshotOf(getState(), id)?.path;
      if (!path || (paths?.id === id && paths.nodeId === nodeId && paths.graph)) {
        return;
      }
      dispatch(pathsStart({ id, nodeId }));
      try {
        const graph = await context.client.getShortestPaths(path, nodeId, preferences.maxRetainingPaths);
        dispatch(pathsEnd({ id, nodeId, graph }));
      } catch (error) {
        dispatch(pathsError({ id, nodeId, error: errorText(error) ?? "Looking was cancelled." }));
      }
    });
}
