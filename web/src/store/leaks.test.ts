// SPDX-License-Identifier: MIT
// Looking for leaks in several snapshots: every step, and what ends it.
import { beforeEach, describe, expect, it } from "vitest";
import { LEAKS, SNAPSHOT, VIEW } from "./models";
import { shownState } from "./selectors";
import { cancelLeaks, chooseAllForLeaks, chooseForLeaks, findLeaks, showLeaks, toggleLeaks } from "./tasks/leaks";
import { deleteSnapshot, listSnapshots } from "./tasks/snapshots";
import { changeViewAndRefresh, selectSnapshotAndRefresh } from "./tasks/views";
import { bench, type Bench } from "./testing";

let b: Bench;
const ids = () => b.state().snapshots.map(({ id }) => id);
const leaks = () => b.state().leaks;

describe("leaks", () => {
  beforeEach(async () => {
    b = bench("a", "b", "c");
    await b.store.dispatch(listSnapshots());
    await b.store.dispatch(selectSnapshotAndRefresh(ids()[0]!));
    await b.store.dispatch(toggleLeaks());
  });

  it("begin with a choice of snapshots, which stand in the order of the list", () => {
    expect([leaks()?.state, b.state().snapshots.some(({ selected }) => selected)]).toEqual([LEAKS.SELECTING, false]);
    b.store.dispatch(chooseForLeaks(ids()[2]!));
    b.store.dispatch(chooseForLeaks(ids()[0]!));
    expect(leaks()?.ids).toEqual([ids()[0], ids()[2]]);
    b.store.dispatch(chooseForLeaks(ids()[0]!));
    expect(leaks()?.ids).toEqual([ids()[2]]);
    b.store.dispatch(chooseAllForLeaks());
    expect(leaks()?.ids).toEqual(ids());
  });

  it("choose all that may be of one run: no damaged files, and no others than the first that is chosen", async () => {
    b.client.open("d").what = "another kind";
    b.client.open("e").fault = "ends too early";
    b.client.open("f").what = "another kind";
    await b.store.dispatch(listSnapshots());
    b.store.dispatch(chooseAllForLeaks());
    expect(leaks()?.ids).toEqual(ids().slice(0, 3));
    ids()
      .slice(0, 3)
      .forEach((id) => b.store.dispatch(chooseForLeaks(id)));
    b.store.dispatch(chooseForLeaks(ids()[5]!));
    b.store.dispatch(chooseAllForLeaks());
    expect(leaks()?.ids).toEqual([ids()[3], ids()[5]]);
  });

  it("are not looked for in one snapshot", async () => {
    b.store.dispatch(chooseForLeaks(ids()[0]!));
    await b.store.dispatch(findLeaks());
    expect([leaks()?.state, b.client.asked.includes("leaks")]).toEqual([LEAKS.SELECTING, false]);
  });

  it("are found: SELECTING, FINDING, FOUND", async () => {
    b.store.dispatch(chooseAllForLeaks());
    const release = b.client.hold("leaks");
    const done = b.store.dispatch(findLeaks());
    expect(shownState(b.state())).toBe(LEAKS.FINDING);
    release();
    await done;
    expect(leaks()).toMatchObject({ state: LEAKS.FOUND, error: null, allowsOtherProcess: false });
    expect(b.state().snapshots.every(({ state }) => state === SNAPSHOT.READ)).toBe(true);
    b.client.asked.length = 0;
    await b.store.dispatch(showLeaks(ids()));
    expect(b.client.asked).toEqual([]);
    await b.store.dispatch(showLeaks(ids(), { allowsOtherProcess: true }));
    expect([b.client.asked, leaks()?.allowsOtherProcess]).toEqual([["leaks"], true]);
  });

  it("in a wrong order are an error, and the right one is taken over", async () => {
    const [first, second] = ids() as [number, number, number];
    b.client.failing.set("leaks", "not in the order (--reorder does it)");
    await b.store.dispatch(showLeaks([second, first]));
    expect(leaks()).toMatchObject({ state: LEAKS.ERROR, ids: [second, first] });
    b.client.failing.clear();
    b.client.leaksOf = ["a", "b"];
    await b.store.dispatch(findLeaks({ isReordered: true }));
    expect(leaks()).toMatchObject({ state: LEAKS.FOUND, ids: [first, second] });
    b.client.leaksOf = ["unknown", "b"];
    await b.store.dispatch(showLeaks([second, first], {}));
    await b.store.dispatch(findLeaks({ isReordered: true }));
    expect(leaks()?.ids).toEqual([second, first]);
  });

  it("are given up when that is wanted, or when they are of other snapshots by then", async () => {
    b.store.dispatch(chooseAllForLeaks());
    b.client.failing.set("leaks", "AbortError");
    const release = b.client.hold("leaks");
    const done = b.store.dispatch(findLeaks());
    b.store.dispatch(cancelLeaks());
    release();
    await done;
    expect(leaks()).toMatchObject({ state: LEAKS.ERROR, error: "The search was cancelled." });
    b.client.failing.clear();
    const again = b.client.hold("leaks");
    const late = b.store.dispatch(findLeaks());
    b.store.dispatch(chooseForLeaks(ids()[0]!));
    again();
    await late;
    expect(leaks()).toMatchObject({ state: LEAKS.SELECTING, report: null });
  });

  it("are left for another view, which shows the last of them, and by deleting one", async () => {
    b.store.dispatch(chooseAllForLeaks());
    await b.store.dispatch(findLeaks());
    await b.store.dispatch(deleteSnapshot(ids()[0]!));
    expect(leaks()).toMatchObject({ state: LEAKS.SELECTING, ids: [] });
    b.store.dispatch(chooseAllForLeaks());
    await b.store.dispatch(changeViewAndRefresh(VIEW.CENSUS));
    expect([leaks(), b.selected().name]).toEqual([null, "c"]);
  });
});
