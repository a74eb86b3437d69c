// SPDX-License-Identifier: MIT
// Tasks about dominator trees, individuals and single objects.
import { groupKey, nodeKey } from "../../logic/dominator_rows";
import { CENSUS_DISPLAYS, TREE_MAP_DISPLAY } from "../../logic/displays";
import { stepsOf } from "../../logic/dominator_tree";
import type { Breakdown, CensusDisplay } from "../../types/breakdown";
import type { DominatedGroup, DominatorTreeNode, DominatorWay, NodeId, RowId } from "../../types/heap";
import type { Task } from "..";
import * as a from "../actions";
import { DOMINATORS, VIEW, type Grouping, type IndividualsOf, type SnapshotId } from "../models";
import { nodeInTree } from "../reducers/dominators";
import { snapshotOf } from "../selectors";
import { progressOf } from "./census";
import { cancelOf, errorText, joined, namedError } from "./context";
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
  return async (dispatch, getState) => {
    await dispatch(computeDominatorTree(id));
    await dispatch(fetchDominatorTree(id));
    const tree = snapshotOf(getState(), id)?.dominatorTree;
    // By class, the root is open at first, too.
    if (getState().grouping === "class" && tree?.root && tree.byClass.groups.size === 0) {
      await dispatch(expandByClass(id, tree.root));
    }
  };
}

/** Nodes and groups that are asked for at once. */
export const DOMINATED_ROWS = 50;

/** Some nodes that the last of `path` dominates, from an index on; `path` begins at the root. */
export function fetchImmediatelyDominated(id: SnapshotId, path: NodeId[], startIndex: number, count?: number | null): Task {
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
          maxCount: Math.min(DOMINATED_ROWS, count ?? DOMINATED_ROWS),
          path,
          maxRetainingPaths: null,
        });
        const isStill = snapshotOf(getState(), id)?.dominatorTree?.display === tree.display;
        dispatch(a.fetchImmediatelyDominatedEnd({ id, path: isStill ? path : [], startIndex, nodes, moreChildrenAvailable }));
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

/** Opens the way to a node, however far from its first siblings it is, and focuses it. */
export function revealDominator(id: SnapshotId, nodeId: NodeId): Task {
  return (dispatch, getState, context) =>
    joined(context, `reveal ${id} ${nodeId}`, async () => {
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      if (!tree?.display || tree.dominatorTreeId === null || tree.focused?.nodeId === nodeId) {
        return;
      }
      try {
        const way = await context.client.getDominatorWay(tree.dominatorTreeId, nodeId, tree.display.breakdown);
        if (!way) {
          dispatch(a.noticeChanged("Nothing keeps this object: it cannot be reached from the root, so it is not in the dominator tree."));
          return;
        }
        dispatch(a.setGrouping("node"));
        await dispatch(showWay(id, way));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
}

/** Opens a way, and focuses its last node. */
function showWay(id: SnapshotId, way: DominatorWay): Task {
  return async (dispatch) => {
    dispatch(a.revealDominatorTreeNode({ id, way }));
    await dispatch(fetchFirstSiblings(id, stepsOf(way.top)));
  };
}

export const NO_DROP = "There is no further big drop from here on: Home goes to the first row, from which to begin again.";

/** Focuses the next node where what is retained drops, after one or after the root, and opens the way to it. */
export function revealNextDrop(id: SnapshotId, after: NodeId | null): Task {
  return (dispatch, getState, context) =>
    joined(context, `drop ${id}`, async () => {
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      if (!tree?.display || tree.dominatorTreeId === null) {
        return;
      }
      try {
        const way = await context.client.getNextDrop(tree.dominatorTreeId, after, tree.display.breakdown);
        dispatch(a.noticeChanged(way ? null : NO_DROP));
        if (way) {
          await dispatch(showWay(id, way));
        }
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
}

/** What is beside a node that was revealed, if it is among the first of its siblings. */
function fetchFirstSiblings(id: SnapshotId, steps: DominatorTreeNode[]): Task {
  return async (dispatch, getState) => {
    const path = steps.slice(0, -1).map((step) => step.nodeId);
    const last = steps[steps.length - 1];
    const tree = snapshotOf(getState(), id)?.dominatorTree;
    const parent = tree && nodeInTree(tree, path[path.length - 1] ?? "");
    const isAlone = parent?.children?.length === 1 && (parent.childCount ?? 0) > 1;
    if (isAlone && last?.place && last.place.index < DOMINATED_ROWS) {
      await dispatch(fetchImmediatelyDominated(id, path, 0));
    }
  };
}

// ---- by class ---------------------------------------------------------------------------------------------------------------

/** What a node dominates, by class; again with more groups, if there are more. */
export function fetchGroups(id: SnapshotId, nodeId: NodeId, most = DOMINATED_ROWS): Task {
  return (dispatch, getState, context) =>
    joined(context, `groups ${id} ${nodeId} ${most}`, async () => {
      const treeId = snapshotOf(getState(), id)?.dominatorTree?.dominatorTreeId;
      if (treeId === undefined || treeId === null) {
        return;
      }
      try {
        dispatch(a.dominatedGroupsCame({ id, nodeId, ...(await context.client.getDominatedGroups(treeId, nodeId, most)) }));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
}

/** Some nodes of a group, from an index on. */
export function fetchMembers(id: SnapshotId, group: DominatedGroup, startIndex: number): Task {
  return (dispatch, getState, context) => {
    const key = groupKey(group);
    return joined(context, `members ${id} ${key} ${startIndex}`, async () => {
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      if (!tree?.display || tree.dominatorTreeId === null) {
        return;
      }
      const { dominatorTreeId, display } = tree;
      const of = { dominatorTreeId, like: group.largestNodeId, breakdown: display.breakdown, startIndex, maxCount: DOMINATED_ROWS };
      try {
        const nodes = await context.client.getGroupMembers(of);
        dispatch(a.groupMembersCame({ id, group: key, startIndex, nodes, display }));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
  };
}

/** Opens a node to the classes of what it dominates, or a class to its nodes. */
export function expandByClass(id: SnapshotId, node: DominatorTreeNode, group?: DominatedGroup): Task {
  return async (dispatch, getState) => {
    const byClass = snapshotOf(getState(), id)?.dominatorTree?.byClass;
    const row = group ? groupKey(group) : nodeKey(node.nodeId);
    dispatch(a.toggleClassRow({ id, row, isOpen: true }));
    if (group && !byClass?.members.has(row)) {
      await dispatch(fetchMembers(id, group, 0));
    } else if (!group && !byClass?.groups.has(node.nodeId)) {
      await dispatch(fetchGroups(id, node.nodeId));
    }
  };
}

/** Lists what nodes dominate one by one, or by class. */
export function setGroupingAndRefresh(id: SnapshotId, grouping: Grouping): Task {
  return async (dispatch) => {
    dispatch(a.setGrouping(grouping));
    await dispatch(computeAndFetchDominatorTree(id));
  };
}

// ---- single nodes -----------------------------------------------------------------------------------------------------------

/** Shows the nodes that some parts of a census counted. */
export function fetchIndividuals(id: SnapshotId, censusBreakdown: Breakdown, indices: ReadonlySet<number>): Task {
  return showIndividuals(id, { censusBreakdown, indices });
}

/** Lists objects in a view of their own; again while other labels are wanted meanwhile. */
export function showIndividuals(id: SnapshotId, of: IndividualsOf): Task {
  return async (dispatch, getState, { client }) => {
    if (getState().view.state !== VIEW.INDIVIDUALS) {
      dispatch(changeView(VIEW.INDIVIDUALS));
    }
    await dispatch(computeDominatorTree(id));
    for (;;) {
      const { labelDisplay, view, preferences } = getState();
      const { dominatorTree: tree = null, path } = snapshotOf(getState(), id) ?? {};
      if (view.state !== VIEW.INDIVIDUALS || !tree || !path) {
        return;
      }
      if (tree.state === DOMINATORS.ERROR || tree.dominatorTreeId === null) {
        dispatch(a.individualsError({ error: tree.error ?? "There is no dominator tree." }));
        return;
      }
      dispatch(a.fetchIndividualsStart({ id, of, labelDisplay }));
      try {
        const { maxIndividuals } = preferences;
        const { dominatorTreeId } = tree;
        const asked = { dominatorTreeId, maxIndividuals, maxRetainingPaths: null, labels: labelDisplay.breakdown };
        const individuals = await ("className" in of
          ? client.getClassObjects(path, of.className, maxIndividuals)
          : client.getCensusIndividuals({ ...asked, ...of }));
        if (getState().labelDisplay === labelDisplay) {
          dispatch(a.fetchIndividualsEnd({ id, ...individuals }));
          return;
        }
      } catch (error) {
        dispatch(a.individualsError({ error: errorText(error) ?? "Fetching was cancelled." }));
        return;
      }
    }
  };
}

/** Shows the nodes that one box of the tree map counts. */
export function openBox(id: SnapshotId, row: RowId): Task {
  return async (dispatch, getState, { client }) => {
    const { path, treeMap } = snapshotOf(getState(), id) ?? {};
    if (!path || !treeMap) {
      return;
    }
    const { reportLeafIndex: leaf } = await client.getCensusRow(path, treeMap.display.breakdown, row);
    if (leaf === undefined) {
      dispatch(a.noticeChanged("This box is made of others: choose one of these."));
      return;
    }
    // The address names the breakdown by a display that has it.
    const isUsual = treeMap.display.displayName === TREE_MAP_DISPLAY.displayName;
    dispatch(a.setCensusDisplay(isUsual ? (CENSUS_DISPLAYS["coarseTypeTree"] as CensusDisplay) : treeMap.display));
    await dispatch(fetchIndividuals(id, treeMap.display.breakdown, new Set([leaf].flat())));
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
