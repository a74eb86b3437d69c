// SPDX-License-Identifier: MIT
// Rows that were open before the page was loaded again.
import { expect, it } from "vitest";
import { collapseDominatorTreeNode } from "./actions";
import { VIEW, type ViewState } from "./models";
import { expandCensusRow } from "./tasks/census";
import { expandByClass, expandDominatorNode, setGroupingAndRefresh } from "./tasks/dominators";
import { MOST_OPEN_ROWS, openRows, openRowsOf } from "./tasks/open_rows";
import { listSnapshots } from "./tasks/snapshots";
import { fetchClassNodes } from "./tasks/summary";
import { changeViewAndRefresh, selectSnapshotAndRefresh } from "./tasks/views";
import { bench, ROOT, type Bench } from "./testing";

async function looking(view: ViewState): Promise<Bench & { id: number }> {
  const b = bench("a.fxsnapshot");
  await b.store.dispatch(listSnapshots());
  const id = b.state().snapshots[0]?.id ?? 0;
  await b.store.dispatch(selectSnapshotAndRefresh(id));
  await b.store.dispatch(changeViewAndRefresh(view));
  return { ...b, id };
}

/** The keys of what is open in a new page, when these are opened there. */
async function openAfterwards(view: ViewState, keys: string[]): Promise<string[]> {
  const b = await looking(view);
  await b.store.dispatch(openRows(keys));
  return openRowsOf(b.state());
}

it("of a census are opened again; those that are not there stay closed", async () => {
  const b = await looking(VIEW.CENSUS);
  expect(openRowsOf(b.state())).toEqual([]);
  await b.store.dispatch(expandCensusRow(b.id, 2));
  const keys = openRowsOf(b.state());
  expect(keys).toEqual(["2"]);
  expect(await openAfterwards(VIEW.CENSUS, [...keys, "999", "nonsense"])).toEqual(keys);
});

it("of dominators are opened again, and what was closed of those that are open at first is closed", async () => {
  const b = await looking(VIEW.DOMINATOR_TREE);
  const atFirst = openRowsOf(b.state());
  const [child] = b.selected().dominatorTree?.root?.children ?? [];
  await b.store.dispatch(expandDominatorNode(b.id, child!, [ROOT.nodeId, child!.nodeId]));
  const keys = openRowsOf(b.state());
  expect(keys.length).toBeGreaterThan(atFirst.length);
  expect(await openAfterwards(VIEW.DOMINATOR_TREE, keys)).toEqual(keys);
  b.store.dispatch(collapseDominatorTreeNode({ id: b.id, node: ROOT }));
  const closed = openRowsOf(b.state());
  expect(closed).not.toContain(`node ${ROOT.nodeId}`);
  expect(await openAfterwards(VIEW.DOMINATOR_TREE, closed)).not.toContain(`node ${ROOT.nodeId}`);
});

it("of dominators by class are opened again, classes and their objects", async () => {
  const b = await looking(VIEW.DOMINATOR_TREE);
  await b.store.dispatch(setGroupingAndRefresh(b.id, "class"));
  const tree = b.selected().dominatorTree!;
  const group = tree.byClass.groups.get(ROOT.nodeId)!.groups[0]!;
  await b.store.dispatch(expandByClass(b.id, tree.root!, group));
  const keys = openRowsOf(b.state());
  expect(keys.length).toBe(2);
  const again = await looking(VIEW.DOMINATOR_TREE);
  await again.store.dispatch(setGroupingAndRefresh(again.id, "class"));
  await again.store.dispatch(openRows(keys));
  expect(openRowsOf(again.state())).toEqual(keys);
  expect(again.selected().dominatorTree?.byClass.members.size).toBe(1);
});

it("of a summary are opened again", async () => {
  const b = await looking(VIEW.SUMMARY);
  await b.store.dispatch(fetchClassNodes(b.id, 3));
  const keys = openRowsOf(b.state());
  expect(keys.length).toBe(1);
  expect(await openAfterwards(VIEW.SUMMARY, keys)).toEqual(keys);
});

it("are not more than a few", async () => {
  const b = await looking(VIEW.CENSUS);
  for (let row = 0; row < 2 * MOST_OPEN_ROWS; row++) {
    await b.store.dispatch(expandCensusRow(b.id, row));
  }
  expect(openRowsOf(b.state()).length).toBe(MOST_OPEN_ROWS);
  expect(openRowsOf((await looking(VIEW.START)).state())).toEqual([]);
});
