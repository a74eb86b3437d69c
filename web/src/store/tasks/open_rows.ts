// SPDX-License-Identifier: MIT
// Which rows of the tree that is looked at are open: what a page that is loaded again opens again.
import { classRows, dominatorRows, nodeKey, type DominatorRow } from "../../logic/dominator_rows";
import { summaryKey } from "../../logic/summary_rows";
import type { State, Task } from "..";
import { collapseDominatorTreeNode, toggleClassRow } from "../actions";
import { VIEW, type DominatorTreeModel, type SnapshotId } from "../models";
import { selectedSnapshot, snapshotOf } from "../selectors";
import { expandCensusRow } from "./census";
import { expandDiffingRow } from "./diffing";
import { expandByClass, expandDominatorNode } from "./dominators";
import { fetchClassNodes } from "./summary";

/** So many are kept at most: each takes a request to open. */
export const MOST_OPEN_ROWS = 50;

const isByClass = ({ grouping }: State) => grouping === "class";

function dominatorRowsOf(state: State, tree: DominatorTreeModel): DominatorRow[] {
  return isByClass(state) ? classRows(tree.root, tree.byClass) : dominatorRows(tree.deep?.top ?? tree.root, tree.expanded);
}

/** By the keys that rows have in their view, in the order in which they were opened. */
export function openRowsOf(state: State): string[] {
  const snapshot = selectedSnapshot(state);
  const open = (): Iterable<string | number> => {
    switch (state.view.state) {
      case VIEW.CENSUS:
        return snapshot?.census?.expanded ?? [];
      case VIEW.DIFFING:
        return state.diffing?.census?.expanded ?? [];
      case VIEW.SUMMARY:
        return snapshot?.summary?.open.keys() ?? [];
      case VIEW.DOMINATOR_TREE: {
        const tree = snapshot?.dominatorTree;
        const nodes = [...(tree?.expanded ?? [])].map(nodeKey);
        return (isByClass(state) ? tree?.byClass.expanded : nodes) ?? [];
      }
      default:
        return [];
    }
  };
  return [...open()].map(String).slice(0, MOST_OPEN_ROWS);
}

function openDominatorRow(id: SnapshotId, row: DominatorRow): Task {
  return async (dispatch, getState) => {
    await dispatch(isByClass(getState()) ? expandByClass(id, row.node, row.group) : expandDominatorNode(id, row.node, row.path));
  };
}

/** A tree begins with open rows of these levels, whose keys come first; by class with the root. */
const isOpenAtFirst = ({ level }: DominatorRow) => level < 2;

/** Also closes what a tree begins with and was closed. What is on the way to the focused node stays open. */
function openDominators(id: SnapshotId, keys: readonly string[]): Task {
  return async (dispatch, getState) => {
    const rows = () => {
      const tree = snapshotOf(getState(), id)?.dominatorTree;
      return tree ? dominatorRowsOf(getState(), tree) : [];
    };
    const isDeep = snapshotOf(getState(), id)?.dominatorTree?.deep !== null;
    for (const row of isDeep ? [] : rows().filter((one) => isOpenAtFirst(one) && one.isExpanded && !keys.includes(one.key))) {
      dispatch(
        isByClass(getState()) ? toggleClassRow({ id, row: row.key, isOpen: false }) : collapseDominatorTreeNode({ id, node: row.node }),
      );
    }
    for (const key of keys) {
      const row = rows().find((one) => one.key === key);
      if (row && row.isExpandable && !row.isExpanded) {
        await dispatch(openDominatorRow(id, row));
      }
    }
  };
}

function openClasses(id: SnapshotId, keys: readonly string[]): Task {
  return async (dispatch, getState) => {
    for (const key of keys) {
      const { rows = {}, open } = snapshotOf(getState(), id)?.summary ?? {};
      const index = Object.keys(rows).find((at) => summaryKey(rows[Number(at)]!) === key);
      if (index !== undefined && !open?.has(key)) {
        await dispatch(fetchClassNodes(id, Number(index)));
      }
    }
  };
}

/** Rows that are not there stay closed. */
export function openRows(keys: readonly string[]): Task {
  return async (dispatch, getState) => {
    const { view } = getState();
    const id = selectedSnapshot(getState())?.id ?? 0;
    if (view.state === VIEW.DOMINATOR_TREE) {
      await dispatch(openDominators(id, keys));
    } else if (view.state === VIEW.SUMMARY) {
      await dispatch(openClasses(id, keys));
    }
    for (const key of keys.map(Number)) {
      const census = view.state === VIEW.CENSUS ? snapshotOf(getState(), id)?.census : getState().diffing?.census;
      if (census?.report?.rows[key] && view.state === VIEW.CENSUS) {
        await dispatch(expandCensusRow(id, key));
      } else if (census?.report?.rows[key] && view.state === VIEW.DIFFING) {
        await dispatch(expandDiffingRow(key));
      }
    }
  };
}
