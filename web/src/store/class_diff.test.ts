// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { allowOtherProcessInDiff } from "./actions";
import { listSnapshots } from "./tasks/snapshots";
import { compareSnapshots, showClassDiff } from "./tasks/diffing";
import { bench } from "./testing";

it("by class of different processes are refused until they are wanted anyway", async () => {
  const b = bench("a", "b");
  await b.store.dispatch(listSnapshots());
  const [first = 0, second = 0] = b.state().snapshots.map(({ id }) => id);
  b.client.isOneProcess = false;
  await b.store.dispatch(compareSnapshots(first, second));
  await b.store.dispatch(showClassDiff(true, "-new"));
  expect(b.state().diffing?.byClass).toMatchObject({ isOneProcess: false, allowsOtherProcess: false, sort: "-new" });
  b.store.dispatch(allowOtherProcessInDiff());
  expect(b.state().diffing?.byClass).toMatchObject({ allowsOtherProcess: true, rows: [{ name: "Point" }] });
  await b.store.dispatch(showClassDiff(true, "", true));
  expect(b.state().diffing?.byClass).toMatchObject({ isOneProcess: false, allowsOtherProcess: true });
  b.client.isOneProcess = true;
  await b.store.dispatch(showClassDiff(true));
  expect(b.state().diffing?.byClass).toMatchObject({ isOneProcess: true, allowsOtherProcess: false });
});

it("a class that an address names is chosen as soon as there are rows; one that did not change is not", async () => {
  const b = bench("a", "b");
  await b.store.dispatch(listSnapshots());
  const [first = 0, second = 0] = b.state().snapshots.map(({ id }) => id);
  await b.store.dispatch(compareSnapshots(first, second));
  const chosen = () => b.state().diffing?.byClass?.members ?? null;
  let seen: unknown[] = [];
  b.store.subscribe(() => b.state().diffing?.byClass?.rows && seen.push(chosen()?.key));
  await b.store.dispatch(showClassDiff(true, "", false, { key: "Object/Point", side: "deleted" }));
  expect([seen, chosen()?.side]).toEqual([["Object/Point"], "deleted"]);
  seen = [];
  await b.store.dispatch(showClassDiff(true, "", false, { key: "Object/Array", side: "created" }));
  expect([seen, chosen()]).toEqual([[undefined], null]);
});
