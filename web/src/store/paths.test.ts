// SPDX-License-Identifier: MIT
// Retaining paths of what is focused, one after the other.
import { expect, it } from "vitest";
import { fetchPaths } from "./tasks/paths";
import { listSnapshots } from "./tasks/snapshots";
import { selectSnapshotAndRefresh } from "./tasks/views";
import { bench } from "./testing";

it("who goes through a list waits for the paths of the last row alone", async () => {
  const { client, state, store } = bench("a.fxsnapshot");
  await store.dispatch(listSnapshots());
  const id = state().snapshots[0]?.id ?? 0;
  await store.dispatch(selectSnapshotAndRefresh(id));
  const asked = () => client.asked.filter((one) => one === "paths").length;
  const release = client.hold("paths");
  const passed = [2, 3, 4, 5].map((node) => store.dispatch(fetchPaths(id, node)));
  expect(asked()).toBe(1);
  expect(state().paths).toMatchObject({ nodeId: 5, graph: null });
  release();
  await Promise.all(passed);
  expect(asked()).toBe(2);
  expect(state().paths).toMatchObject({ nodeId: 5, error: null, graph: { nodes: [] } });
  await store.dispatch(fetchPaths(id, 5));
  expect(asked()).toBe(2);
});

it("a search that failed is begun again, and one for another row is not affected", async () => {
  const { client, state, store } = bench("a.fxsnapshot");
  await store.dispatch(listSnapshots());
  const id = state().snapshots[0]?.id ?? 0;
  await store.dispatch(selectSnapshotAndRefresh(id));
  client.failing.set("paths", "too large");
  await store.dispatch(fetchPaths(id, 2));
  expect(state().paths).toMatchObject({ nodeId: 2, error: "too large" });
  client.failing.clear();
  await store.dispatch(fetchPaths(id, 2));
  expect(state().paths).toMatchObject({ nodeId: 2, error: null, graph: { nodes: [] } });
});
