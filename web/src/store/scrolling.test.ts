// SPDX-License-Identifier: MIT
// Rows that a table asks for while it is scrolled.
import { expect, it } from "vitest";
import { VIEW } from "./models";
import { expandCensusRow, fetchCensusRows } from "./tasks/census";
import { listSnapshots } from "./tasks/snapshots";
import { changeViewAndRefresh, selectSnapshotAndRefresh } from "./tasks/views";
import { bench } from "./testing";

it("a table that is scrolled asks a few times at once, and always for the rows of what is opened", async () => {
  const { client, state, store } = bench("a.fxsnapshot");
  await store.dispatch(listSnapshots());
  const id = state().snapshots[0]?.id ?? 0;
  await store.dispatch(selectSnapshotAndRefresh(id));
  await store.dispatch(changeViewAndRefresh(VIEW.CENSUS));
  const asked = () => client.asked.filter((one) => one === "census").length;
  const before = asked();
  const release = client.hold("census");
  const scrolled = [100, 200, 300, 400].map((offset) => store.dispatch(fetchCensusRows(id, 1, offset)));
  expect(asked() - before).toBe(2);
  const opened = store.dispatch(expandCensusRow(id, 2));
  expect(asked() - before).toBe(3);
  release();
  await Promise.all([...scrolled, opened]);
  await store.dispatch(fetchCensusRows(id, 1, 300));
  expect(asked() - before).toBe(4);
});
