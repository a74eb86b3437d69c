// SPDX-License-Identifier: MIT
import { beforeEach, expect, it } from "vitest";
import { focusSummaryRow, toggleClass } from "./actions";
import { SUMMARY, VIEW } from "./models";
import { shownState } from "./selectors";
import { summaryToCopy } from "./tasks/copies";
import { listSnapshots } from "./tasks/snapshots";
import { fetchClasses, fetchClassNodes } from "./tasks/summary";
import { changeViewAndRefresh, refresh, selectSnapshotAndRefresh, setFilterAndRefresh, setSummarySortAndRefresh } from "./tasks/views";
import { bench, type Bench } from "./testing";

let b: Bench;
const summary = () => b.selected().summary;
const open = () => [...(summary()?.open.entries() ?? [])].map(([key, { nodes }]) => [key, nodes?.map(({ id }) => id)]);

beforeEach(async () => {
  b = bench("a");
  await b.store.dispatch(listSnapshots());
  await b.store.dispatch(selectSnapshotAndRefresh(b.state().snapshots[0]?.id ?? 0));
  await b.store.dispatch(changeViewAndRefresh(VIEW.SUMMARY));
});

it("classes come when their view is looked at, and more when they are scrolled to", async () => {
  expect(shownState(b.state())).toBe(SUMMARY.SAVED);
  expect(summary()).toMatchObject({ count: 150, classCount: 150, rows: { 0: { name: "Class0" }, 99: { name: "Class99" } } });
  expect(summary()?.rows[100]).toBeUndefined();
  await b.store.dispatch(fetchClasses(b.selected().id, 100));
  expect(summary()?.rows[149]?.name).toBe("Class149");
});

it("a copy has all classes, whichever have come, and the objects of open ones; of more than a copy has, their number", async () => {
  const { id } = b.selected();
  await b.store.dispatch(fetchClassNodes(id, 1));
  const cells = await b.store.dispatch(summaryToCopy(id));
  expect(cells.length).toBe(1 + 150 + 101);
  expect(cells[103]).toEqual([null, null, 900, null, "900 more", "", null]);
  expect(cells.at(-1)?.[4]).toBe("Class149");
  const few = await b.store.dispatch(summaryToCopy(id, 20));
  expect([few.length, few.at(-1)?.[4]]).toEqual([22, "231 more rows"]);
});

it("another order or text is asked for again, and closes what was open", async () => {
  await b.store.dispatch(fetchClassNodes(b.selected().id, 3));
  await b.store.dispatch(setSummarySortAndRefresh("-count"));
  expect([summary()?.sort, open()]).toEqual(["-count", []]);
  await b.store.dispatch(setFilterAndRefresh("Class7"));
  expect(summary()).toMatchObject({ count: 11, classCount: 150, rows: { 1: { name: "Class70" } } });
  const asked = b.client.asked.filter((one) => one.startsWith("classes"));
  expect(asked).toEqual(["classes  0 ", "classes -count 0 ", "classes -count 0 Class7"]);
});

it("the one that is wanted last wins", async () => {
  const release = b.client.hold("classes -count 0 ");
  const done = b.store.dispatch(setSummarySortAndRefresh("-count"));
  void b.store.dispatch(setSummarySortAndRefresh("+name"));
  release();
  await done;
  expect([summary()?.state, summary()?.sort]).toEqual([SUMMARY.SAVED, "+name"]);
});

it("a class opens to its objects, its rest to as many again, and the focus of a rest goes to the first of them", async () => {
  const { id } = b.selected();
  await b.store.dispatch(fetchClassNodes(id, 2));
  expect(open()).toEqual([["Class2", Array.from({ length: 100 }, (_, at) => at)]]);
  b.store.dispatch(focusSummaryRow({ id, focused: { key: "rest of Class2", nodeId: null } }));
  await b.store.dispatch(fetchClassNodes(id, 2));
  expect(summary()?.open.get("Class2")?.nodes?.length).toBe(200);
  expect(summary()?.focused).toEqual({ key: "node 100", nodeId: 100 });
  b.store.dispatch(toggleClass({ id, index: 2, isOpen: false }));
  expect(open()).toEqual([]);
});

it("a class that is closed and opened again while its objects come is open when they have come", async () => {
  const { id } = b.selected();
  const release = b.client.hold("objects of Class2");
  const done = b.store.dispatch(fetchClassNodes(id, 2));
  b.store.dispatch(toggleClass({ id, index: 2, isOpen: false }));
  void b.store.dispatch(fetchClassNodes(id, 2));
  expect(open()).toEqual([["Class2", undefined]]);
  release();
  await done;
  expect(summary()?.open.get("Class2")?.nodes?.length).toBe(100);
  expect(b.client.asked.filter((one) => one.startsWith("objects")).length).toBe(1);
});

it("a class whose objects do not come is closed, and the reason said; a list that fails is asked for again", async () => {
  b.client.failing.set("objects of Class1", "gone");
  await b.store.dispatch(fetchClassNodes(b.selected().id, 1));
  expect([open(), b.state().notice]).toEqual([[], "a: gone"]);
  b.client.failing.set("classes +self 0 ", "out of memory");
  await b.store.dispatch(setSummarySortAndRefresh("+self"));
  expect(summary()).toMatchObject({ state: SUMMARY.ERROR, error: "out of memory" });
  b.client.failing.clear();
  await b.store.dispatch(refresh());
  expect(summary()?.state).toBe(SUMMARY.SAVED);
});
