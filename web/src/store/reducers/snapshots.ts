// SPDX-License-Identifier: MIT
// The list of snapshots, oldest first; at most one is selected.
import { isUnanswered } from "../../logic/unanswered";
import type { TreeMapDisplay } from "../../types/breakdown";
import * as a from "../actions";
import { CENSUS, DOMINATORS, REPORT, SNAPSHOT, SUMMARY, TREE_MAP, VIEW } from "../models";
import type { DominatorTreeModel, Snapshot, SnapshotId, TreeMapModel } from "../models";
import { savedCensus, savingCensus, withExpanded, withFocused, withRows } from "./census";
import {
  computingTree,
  loadedTree,
  fromRoot,
  revealed,
  withDominated,
  withFetches,
  withGroups,
  withMembers,
  withOpen,
  withOpenRow,
} from "./dominators";
import { pureReducer } from "./pure";
import { savingSummary, withClasses, withClassOpen, withNodes } from "./summary";

type Snapshots = Snapshot[];

/** With one snapshot changed; nothing leaves ERROR, and the deleted stay away. */
function changedOne(snapshots: Snapshots, id: SnapshotId, change: (snapshot: Snapshot) => Partial<Snapshot>): Snapshots {
  const isChanged = (snapshot: Snapshot) => snapshot.id === id && snapshot.state !== SNAPSHOT.ERROR;
  return snapshots.map((snapshot) => (isChanged(snapshot) ? { ...snapshot, ...change(snapshot) } : snapshot));
}

function changedTree(snapshots: Snapshots, id: SnapshotId, change: (tree: DominatorTreeModel) => DominatorTreeModel): Snapshots {
  return changedOne(snapshots, id, ({ dominatorTree: tree }) => {
    return tree && tree.state !== DOMINATORS.ERROR ? { dominatorTree: change(tree) } : {};
  });
}

function newTreeMap(display: TreeMapDisplay): TreeMapModel {
  return { state: TREE_MAP.SAVING, report: null, sought: null, zoom: "", display, error: null };
}

/** What a map that is drawn again keeps. */
function kept(treeMap: TreeMapModel | null): Pick<TreeMapModel, "sought" | "zoom"> {
  return { sought: treeMap?.sought ?? null, zoom: treeMap?.zoom ?? "" };
}

function selectedOne(snapshots: Snapshots, id: SnapshotId | null): Snapshots {
  return snapshots.map((snapshot) =>
    snapshot.selected === (snapshot.id === id) ? snapshot : { ...snapshot, selected: snapshot.id === id },
  );
}

/** What could not be read or computed because the server did not answer is as if it had not been asked for. */
function withoutUnanswered(snapshot: Snapshot): Snapshot {
  const { state, path, error, dominatorTree: tree } = snapshot;
  const isUnread = state === SNAPSHOT.ERROR && path !== null && isUnanswered(error);
  const isTreeGone = tree?.state === DOMINATORS.ERROR && isUnanswered(tree.error);
  return {
    ...snapshot,
    ...(isUnread ? { state: SNAPSHOT.SAVED, error: null } : {}),
    ...(isTreeGone ? { dominatorTree: null } : {}),
  };
}

/** Views that are of no single snapshot. */
const isOfSeveral = (view: string) => view === VIEW.DIFFING || view === VIEW.LEAKS;

export const snapshotsReducer = pureReducer<Snapshots>([], (builder) => {
  builder
    .addCase(a.addSnapshot, (list, { payload }) => [...list, payload.snapshot])
    .addCase(a.takeSnapshotStart, (list, { payload }) => [...list, payload.snapshot])
    .addCase(a.importSnapshotStart, (list, { payload }) => [...list, payload.snapshot])
    .addCase(a.takeSnapshotEnd, (list, { payload: { id, ...rest } }) => changedOne(list, id, () => ({ state: SNAPSHOT.SAVED, ...rest })))
    .addCase(a.importSnapshotEnd, (list, { payload: { id, ...rest } }) => changedOne(list, id, () => rest))
    .addCase(a.readSnapshotStart, (list, { payload }) => changedOne(list, payload.id, () => ({ state: SNAPSHOT.READING })))
    .addCase(a.readSnapshotEnd, (list, { payload: { id, info } }) =>
      changedOne(list, id, () => ({ state: SNAPSHOT.READ, info, creationTime: info?.creationTimeUs ?? null, progress: null })),
    )
    .addCase(a.snapshotProgress, (list, { payload: { id, progress } }) => changedOne(list, id, () => ({ progress })))
    .addCase(a.snapshotError, (list, { payload: { id, error } }) =>
      changedOne(list, id, () => ({ state: SNAPSHOT.ERROR, error, progress: null })),
    )
    .addCase(a.forgetUnanswered, (list) => list.map(withoutUnanswered))
    .addCase(a.replaceSnapshot, (list, { payload: { id, snapshot } }) =>
      list.map((one) => (one.id === id ? { ...snapshot, selected: one.selected } : one)),
    )
    .addCase(a.selectSnapshot, (list, { payload }) => selectedOne(list, payload.id))
    .addCase(a.deleteSnapshotsStart, (list, { payload }) => list.filter((snapshot) => !payload.ids.includes(snapshot.id)))
    .addCase(a.changeView, (list, { payload }) => (isOfSeveral(payload.newViewState) ? selectedOne(list, null) : list))
    .addCase(a.popView, (list, { payload: { previousView } }) =>
      previousView.state === VIEW.DIFFING ? list : selectedOne(list, previousView.selected),
    );

  // Reports, censuses and tree maps.
  builder
    .addCase(a.takeReportStart, (list, { payload }) =>
      changedOne(list, payload.id, () => ({ report: { state: REPORT.SAVING, report: null, text: null, error: null } })),
    )
    .addCase(a.takeReportEnd, (list, { payload: { id, report, text } }) =>
      changedOne(list, id, () => ({ report: { state: REPORT.SAVED, report, text, error: null }, progress: null })),
    )
    .addCase(a.takeReportError, (list, { payload: { id, error } }) =>
      changedOne(list, id, () => ({ report: { state: REPORT.ERROR, report: null, text: null, error }, progress: null })),
    )
    .addCase(a.takeCensusStart, (list, { payload: { id, ...wanted } }) => changedOne(list, id, () => ({ census: savingCensus(wanted) })))
    .addCase(a.takeCensusEnd, (list, { payload: { id, ...of } }) =>
      changedOne(list, id, () => ({ census: savedCensus(of), progress: null })),
    )
    .addCase(a.takeCensusError, (list, { payload: { id, error } }) =>
      changedOne(list, id, ({ census }) => ({ census: census && { ...census, state: CENSUS.ERROR, report: null, error }, progress: null })),
    )
    .addCase(a.censusRowsCame, (list, { payload: { id, of, page } }) =>
      changedOne(list, id, ({ census }) => ({ census: withRows(census, of, page) })),
    )
    .addCase(a.expandCensusNode, (list, { payload: { id, node } }) =>
      changedOne(list, id, ({ census }) => ({ census: withExpanded(census, node, true) })),
    )
    .addCase(a.collapseCensusNode, (list, { payload: { id, node } }) =>
      changedOne(list, id, ({ census }) => ({ census: withExpanded(census, node, false) })),
    )
    .addCase(a.focusCensusNode, (list, { payload: { id, node } }) =>
      changedOne(list, id, ({ census }) => ({ census: withFocused(census, node) })),
    )
    .addCase(a.takeTreeMapStart, (list, { payload: { id, display } }) =>
      changedOne(list, id, ({ treeMap }) => ({
        treeMap: { ...newTreeMap(display), ...kept(treeMap), state: TREE_MAP.SAVING, report: treeMap?.report ?? null },
      })),
    )
    .addCase(a.takeTreeMapEnd, (list, { payload: { id, display, report } }) =>
      changedOne(list, id, ({ treeMap }) => ({
        treeMap: { ...newTreeMap(display), ...kept(treeMap), state: TREE_MAP.SAVED, report },
        progress: null,
      })),
    )
    .addCase(a.treeMapDetailCame, (list, { payload: { id, of, boxes } }) =>
      changedOne(list, id, ({ treeMap }) => {
        const isStill = treeMap?.report?.boxes === of;
        return isStill ? { treeMap: { ...treeMap, report: { ...treeMap.report, boxes } as typeof treeMap.report } } : {};
      }),
    )
    .addCase(a.seekInTreeMap, (list, { payload: { id, sought } }) =>
      changedOne(list, id, ({ treeMap }) => ({ treeMap: treeMap && { ...treeMap, sought } })),
    )
    .addCase(a.setTreeMapZoom, (list, { payload: { id, zoom } }) =>
      changedOne(list, id, ({ treeMap }) => ({ treeMap: treeMap && { ...treeMap, zoom } })),
    )
    .addCase(a.takeTreeMapError, (list, { payload: { id, error } }) =>
      changedOne(list, id, ({ treeMap }) => ({ treeMap: treeMap && { ...treeMap, state: TREE_MAP.ERROR, error }, progress: null })),
    );

  // Classes.
  builder
    .addCase(a.takeSummaryStart, (list, { payload: { id, of } }) => changedOne(list, id, () => ({ summary: savingSummary(of) })))
    .addCase(a.summaryRowsCame, (list, { payload: { id, of, page } }) =>
      changedOne(list, id, ({ summary }) => ({ summary: withClasses(summary, of, page), progress: null })),
    )
    .addCase(a.takeSummaryError, (list, { payload: { id, error } }) =>
      changedOne(list, id, ({ summary }) => ({ summary: summary && { ...summary, state: SUMMARY.ERROR, error }, progress: null })),
    )
    .addCase(a.toggleClass, (list, { payload: { id, index, isOpen } }) =>
      changedOne(list, id, ({ summary }) => ({ summary: withClassOpen(summary, index, isOpen) })),
    )
    .addCase(a.classNodesCame, (list, { payload: { id, key, nodes } }) =>
      changedOne(list, id, ({ summary }) => ({ summary: withNodes(summary, key, nodes) })),
    )
    .addCase(a.focusSummaryRow, (list, { payload: { id, focused } }) =>
      changedOne(list, id, ({ summary }) => ({ summary: summary && { ...summary, focused } })),
    );

  // Dominator trees.
  builder
    .addCase(a.computeDominatorTreeStart, (list, { payload }) => changedOne(list, payload.id, () => ({ dominatorTree: computingTree() })))
    .addCase(a.computeDominatorTreeEnd, (list, { payload: { id, dominatorTreeId } }) =>
      changedTree(
        changedOne(list, id, () => ({ progress: null })),
        id,
        (tree) => ({ ...tree, state: DOMINATORS.COMPUTED, dominatorTreeId }),
      ),
    )
    .addCase(a.fetchDominatorTreeStart, (list, { payload: { id, display } }) =>
      changedTree(list, id, (tree) => ({ ...tree, state: DOMINATORS.FETCHING, root: null, display })),
    )
    .addCase(a.fetchDominatorTreeEnd, (list, { payload: { id, root } }) => changedTree(list, id, (tree) => loadedTree(tree, root)))
    .addCase(a.fetchImmediatelyDominatedStart, (list, { payload }) => changedTree(list, payload.id, (tree) => withFetches(tree, 1)))
    .addCase(a.fetchImmediatelyDominatedEnd, (list, { payload: { id, ...dominated } }) =>
      changedTree(list, id, (tree) => withFetches(withDominated(tree, dominated), -1)),
    )
    .addCase(a.dominatorTreeError, (list, { payload: { id, error } }) =>
      changedTree(list, id, (tree) => ({ ...tree, state: DOMINATORS.ERROR, error, root: null })),
    )
    .addCase(a.expandDominatorTreeNode, (list, { payload: { id, node } }) => changedTree(list, id, (tree) => withOpen(tree, node, true)))
    .addCase(a.collapseDominatorTreeNode, (list, { payload: { id, node } }) => changedTree(list, id, (tree) => withOpen(tree, node, false)))
    .addCase(a.focusDominatorTreeNode, (list, { payload: { id, node, row } }) =>
      changedTree(list, id, (tree) => ({ ...tree, focused: node, focusedRow: row })),
    )
    .addCase(a.leaveDeepDominators, (list, { payload: { id } }) => changedTree(list, id, fromRoot))
    .addCase(a.revealDominatorTreeNode, (list, { payload: { id, way } }) => changedTree(list, id, (tree) => revealed(tree, way)))
    .addCase(a.toggleClassRow, (list, { payload: { id, row, isOpen } }) => changedTree(list, id, (tree) => withOpenRow(tree, row, isOpen)))
    .addCase(a.dominatedGroupsCame, (list, { payload: { id, nodeId, groups, groupCount } }) =>
      changedTree(list, id, (tree) => withGroups(tree, nodeId, groups, groupCount)),
    )
    .addCase(a.groupMembersCame, (list, { payload: { id, group, startIndex, nodes, display } }) =>
      changedTree(list, id, (tree) => (tree.display === display ? withMembers(tree, group, startIndex, nodes) : tree)),
    );
});
