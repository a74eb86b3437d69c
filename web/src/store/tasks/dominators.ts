// SPDX-License-Identifier: MIT
// Tasks about dominator trees, individuals and single objects.
import type { Breakdown } from "../../types/breakdown";
import type { DominatorTreeNode, NodeId } from "../../types/heap";
import type { Task } from "..";
import * as a from "../actions";
import { DOMINATORS, VIEW, type SnapshotId } from "../models";
import { snapshotOf } from "../selectors";
import { progressOf } from "./census";
import { cancelOf, errorText, joined } from "./context";
import { changeView } from "./views";

export function computeDominatorTree(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `compute dominator tree ${id}`, async () => {
      const snapshot = snapshotOf(getState(), id);
      if (!snapshot?.path || snapshot.dominatorTree) {
        return;
      }
      dispatch(a.computeDominatorTreeStart({ id }));
      try {
        const options = { signal: cancelOf(context, id).signal, onProgress: dispatch(progressOf(id)) };
        const dominatorTreeId = await context.client.computeDominatorTree(snapshot.path, options);
        dispatch(a.computeDominatorTreeEnd({ id, dominatorTreeId }));
      } catch (error) {
        dispatch(a.dominatorTreeError({ id, error: errorText(error) ?? "The computation was cancelled." }));
      }
    });
}

/** The upper part of a tree that was computed; again while other labels are wanted meanwhile. */
export function fetchDominatorTree(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `fetch dominator tree ${id}`, async () => {
      for (;;) {
        const tree = snapshotOf(getState(), id)?.dominatorTree;
        const { labelDisplay: display } = getState();
        if (!tree || tree.dominatorTreeId === null || (tree.root && tree.display === display)) {
          return;
        }
        dispatch(a.fetchDominatorTreeStart({ id, display }));
        try {
          const root = await context.client.getDominatorTree({
            dominatorTreeId: tree.dominatorTreeId,
            breakdown: display.breakdown,
            maxRetainingPaths: null,
          });
          if (getState().labelDisplay === display) {
            dispatch(a.fetchDominatorTreeEnd({ id, root }));
            return;
          }
        } catch (error) {
          dispatch(a.dominatorTreeError({ id, error: errorText(error) ?? "Fetching was cancelled." }));
          return;
        }
      }
    });
}

export function computeAndFetchDominatorTree(id: SnapshotId): Task {
  return async (dispatch) => {
    await dispatch(computeDominatorTree(id));
    await dispatch(fetchDominatorTree(id));
  };
}

/** More nodes that the last of `path` dominates, from the root on, behind those that are there. */
export function fetchImmediatelyDominated(id: SnapshotId, path: NodeId[], startIndex: number): Task {
  return (dispatch, getState, context) => {
    const nodeId = path[path.length - 1] as NodeId;
    return joined(context, `dominated ${id} ${nodeId} ${startIndex}`, async () => {
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      if (!tree?.display || tree.dominatorTreeId === null) {
        return;
      }
      dispatch(a.fetchImmediatelyDominatedStart({ id }));
      try {
        const { nodes, moreChildrenAvailable } = await context.client.getImmediatelyDominated({
          dominatorTreeId: tree.dominatorTreeId,
          nodeId,
          breakdown: tree.display.breakdown,
          startIndex,
          maxRetainingPaths: null,
        });
        const isStill = snapshotOf(getState(), id)?.dominatorTree?.display === tree.display;
        dispatch(a.fetchImmediatelyDominatedEnd({ id, path: isStill ? path : [], nodes, moreChildrenAvailable }));
      } catch (error) {
        dispatch(a.dominatorTreeError({ id, error: errorText(error) ?? "Fetching was cancelled." }));
      }
    });
  };
}

/** Opens a node, and fetches its first children where none are there. */
export function expandDominatorNode(id: SnapshotId, node: DominatorTreeNode, path: NodeId[]): Task {
  return async (dispatch) => {
    dispatch(a.expandDominatorTreeNode({ id, node }));
    if (!node.children && node.moreChildrenAvailable) {
      await dispatch(fetchImmediatelyDominated(id, path, 0));
    }
  };
}

/** Shows the nodes that some parts of a census counted. */
export function fetchIndividuals(id: SnapshotId, censusBreakdown: Breakdown, indices: ReadonlySet<number>): Task {
  return async (dispatch, getState, context) => {
    if (getState().view.state !== VIEW.INDIVIDUALS) {
      dispatch(changeView(VIEW.INDIVIDUALS));
    }
    await dispatch(computeDominatorTree(id));
    for (;;) {
      const { labelDisplay, view, preferences } = getState();
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      if (view.state !== VIEW.INDIVIDUALS || !tree) {
        return;
      }
      if (tree.state === DOMINATORS.ERROR || tree.dominatorTreeId === null) {
        dispatch(a.individualsError({ error: tree.error ?? "There is no dominator tree." }));
        return;
      }
      dispatch(a.fetchIndividualsStart({ id, censusBreakdown, indices, labelDisplay }));
      try {
        const { nodes } = await context.client.getCensusIndividuals({
          dominatorTreeId: tree.dominatorTreeId,
          indices,
          censusBreakdown,
          maxIndividuals: preferences.maxIndividuals,
          maxRetainingPaths: null,
        });
        if (getState().labelDisplay === labelDisplay) {
          dispatch(a.fetchIndividualsEnd({ id, nodes }));
          return;
        }
      } catch (error) {
        dispatch(a.individualsError({ error: errorText(error) ?? "Fetching was cancelled." }));
        return;
      }
    }
  };
}

/** References of an object that are listed each way. */
const LISTED_EDGES = 200;

/** Opens an object's page. */
export function openObject(id: SnapshotId, nodeId: NodeId): Task {
  return async (dispatch, getState, context) => {
    dispatch(a.objectStart({ id, nodeId }));
    const path = snapshotOf(getState(), id)?.path;
    const isThere = getState().objects.open.some((one) => one.id === id && one.nodeId === nodeId && one.node);
    if (!path || isThere) {
      return;
    }
    try {
      const node = await context.client.getNode(path, nodeId, LISTED_EDGES, { signal: cancelOf(context, id).signal });
      dispatch(a.objectEnd({ id, nodeId, node }));
    } catch (error) {
      dispatch(a.objectError({ id, nodeId, error: errorText(error) ?? "Looking was cancelled." }));
    }
  };
}
