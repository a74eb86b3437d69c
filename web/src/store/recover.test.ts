// SPDX-License-Identifier: MIT
// A server that did not answer for a while: nothing of that stays.
import { expect, it } from "vitest";
import { NO_ANSWER } from "../logic/unanswered";
import { noticeChanged } from "./actions";
import { DOMINATORS, INDIVIDUALS, SNAPSHOT, VIEW } from "./models";
import { fetchPaths } from "./tasks/paths";
import { openObject, showIndividuals } from "./tasks/dominators";
import { recover } from "./tasks/recover";
import { listSnapshots } from "./tasks/snapshots";
import { changeViewAndRefresh, selectSnapshotAndRefresh } from "./tasks/views";
import { bench, type Bench } from "./testing";

async function listed(...names: string[]): Promise<Bench> {
  const b = bench(...names);
  await b.store.dispatch(listSnapshots());
  return b;
}
const first = (b: Bench) => b.state().snapshots[0]!;

it("a snapshot that could not be read meanwhile is read then; one that is damaged stays so", async () => {
  for (const [error, state] of [
    [NO_ANSWER, SNAPSHOT.READ],
    ["ends too early", SNAPSHOT.ERROR],
  ] as const) {
    const b = await listed("heap");
    b.client.failing.set("read", error);
    await b.store.dispatch(selectSnapshotAndRefresh(first(b).id));
    expect(first(b)).toMatchObject({ state: SNAPSHOT.ERROR, error });
    b.store.dispatch(noticeChanged(error));
    b.client.failing.clear();
    await b.store.dispatch(recover());
    expect(first(b).state).toBe(state);
    expect(b.state().notice).toBe(error === NO_ANSWER ? null : error);
  }
});

it("dominators, objects of a row, an object and its paths are asked for again", async () => {
  const b = await listed("heap");
  const { id } = first(b);
  await b.store.dispatch(selectSnapshotAndRefresh(id));
  b.client.failing.set("compute", NO_ANSWER);
  await b.store.dispatch(changeViewAndRefresh(VIEW.DOMINATOR_TREE));
  expect(first(b).dominatorTree?.state).toBe(DOMINATORS.ERROR);
  b.client.failing.clear();
  await b.store.dispatch(recover());
  expect(first(b).dominatorTree?.state).toBe(DOMINATORS.LOADED);

  b.client.failing.set("objects of Array 1000", NO_ANSWER).set("paths", NO_ANSWER).set("node 7", NO_ANSWER);
  await b.store.dispatch(showIndividuals(id, { className: "Array" }));
  expect(b.state().individuals?.state).toBe(INDIVIDUALS.ERROR);
  await b.store.dispatch(fetchPaths(id, 2));
  expect(b.state().paths?.error).toBe(NO_ANSWER);
  b.client.failing.clear();
  await b.store.dispatch(recover());
  expect(b.state().individuals?.state).toBe(INDIVIDUALS.FETCHED);
  expect(b.state().paths).toMatchObject({ error: null, graph: { nodes: [] } });

  b.client.failing.set("node 7", NO_ANSWER);
  await b.store.dispatch(changeViewAndRefresh(VIEW.OBJECT));
  await b.store.dispatch(openObject(id, 7));
  expect(b.state().objects.open[0]).toMatchObject({ state: "object-state-error", error: NO_ANSWER });
  b.client.failing.clear();
  await b.store.dispatch(recover());
  expect(b.state().objects.open[0]).toMatchObject({ state: "object-state-loaded", error: null });
});
