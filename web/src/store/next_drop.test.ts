// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { VIEW } from "./models";
import { NO_DROP, revealNextDrop } from "./tasks/dominators";
import { listSnapshots } from "./tasks/snapshots";
import { changeViewAndRefresh, selectSnapshotAndRefresh } from "./tasks/views";
import { bench } from "./testing";

it("the next big drop is found in rows that are closed, and that have not come; after the last, that is said", async () => {
  const b = bench("a");
  await b.store.dispatch(listSnapshots());
  const id = b.state().snapshots[0]?.id ?? 0;
  await b.store.dispatch(selectSnapshotAndRefresh(id));
  await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
  await b.store.dispatch(revealNextDrop(id, null));
  const { dominatorTree: tree } = b.selected();
  expect([tree?.focusedRow, [...(tree?.expanded ?? [])], b.state().notice]).toEqual(["node 999", [1, 3], null]);
  await b.store.dispatch(revealNextDrop(id, 999));
  expect([b.selected().dominatorTree?.focusedRow, b.state().notice]).toEqual(["node 999", NO_DROP]);
  b.client.failing.set("way", "gone");
  await b.store.dispatch(revealNextDrop(id, null));
  expect(b.state().notice).toBe("a: gone");
});
