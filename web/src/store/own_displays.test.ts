// SPDX-License-Identifier: MIT
// Displays of one's own: tried with a snapshot that is open, kept, replaced where they are shown, deleted.
import { beforeEach, describe, expect, it } from "vitest";
import { customDisplays } from "../logic/displays";
import { setCensusDisplay, setTreeMapDisplay } from "./actions";
import { deleteDisplay, saveDisplay, tryDisplay } from "./tasks/own_displays";
import { listSnapshots } from "./tasks/snapshots";
import { setLabelDisplayAndRefresh, setTreeMapDisplayAndRefresh } from "./tasks/views";
import { bench, type Bench } from "./testing";

const CLASSES = '{ "by": "objectClass" }';
const TYPES = '{ "by": "internalType" }';
let b: Bench;

describe("a display of one's own", () => {
  beforeEach(async () => {
    b = bench("a");
    await b.store.dispatch(listSnapshots());
    b.client.asked.length = 0;
  });

  it("is tried: what is wrong is not asked, and a later trial takes the place of an earlier one", async () => {
    await b.store.dispatch(tryDisplay({ breakdown: "{", inverted: false }));
    expect([b.client.asked, b.state().trial]).toEqual([[], null]);
    const release = b.client.hold("census");
    const early = b.store.dispatch(tryDisplay({ breakdown: CLASSES, inverted: false }));
    const late = b.store.dispatch(tryDisplay({ breakdown: TYPES, inverted: true }));
    release();
    await Promise.all([early, late]);
    expect(b.state().trial).toMatchObject({ key: `true ${TYPES}`, page: { childCount: 2 }, error: null });
    b.client.failing.set("census", "too deep");
    await b.store.dispatch(tryDisplay({ breakdown: CLASSES, inverted: false }));
    expect(b.state().trial).toMatchObject({ page: null, error: "too deep" });
  });

  it("needs a snapshot to be tried", async () => {
    b = bench();
    await b.store.dispatch(tryDisplay({ breakdown: CLASSES, inverted: false }));
    expect([b.client.asked, b.state().trial]).toEqual([[], null]);
  });

  it("is kept in the preferences of its kind, and deleted", () => {
    b.store.dispatch(saveDisplay("census", { name: "Mine", breakdown: CLASSES, inverted: true }));
    b.store.dispatch(saveDisplay("label", { name: "Mine", breakdown: TYPES, inverted: false }));
    const { customCensusDisplays, customLabelDisplays, customTreeMapDisplays } = b.state().preferences;
    expect(customDisplays(customCensusDisplays).displays["Mine"]).toMatchObject({ inverted: true, breakdown: { by: "objectClass" } });
    expect(customDisplays(customLabelDisplays).displays["Mine"]).toMatchObject({ breakdown: { by: "internalType" } });
    expect(customTreeMapDisplays).toBe("");
    b.store.dispatch(deleteDisplay("census", "Mine"));
    expect([b.state().preferences.customCensusDisplays, b.state().preferences.customLabelDisplays === ""]).toEqual(["", false]);
  });

  it("replaces what is shown under its name", async () => {
    const own = (name: string) => ({ displayName: name, tooltip: "", inverted: false, breakdown: { by: "count" } });
    b.store.dispatch(setCensusDisplay(own("Mine")));
    b.store.dispatch(setTreeMapDisplay(own("Other")));
    await b.store.dispatch(setLabelDisplayAndRefresh(own("Mine")));
    for (const kind of ["census", "label", "treeMap"] as const) {
      b.store.dispatch(saveDisplay(kind, { name: "Mine", breakdown: CLASSES, inverted: false }));
    }
    const { censusDisplay, labelDisplay, treeMapDisplay } = b.state();
    expect([censusDisplay, labelDisplay, treeMapDisplay].map(({ breakdown }) => breakdown.by)).toEqual([
      "objectClass",
      "objectClass",
      "count",
    ]);
    await b.store.dispatch(setTreeMapDisplayAndRefresh(own("Mine")));
    b.store.dispatch(saveDisplay("treeMap", { name: "Mine", breakdown: TYPES, inverted: false }));
    expect(b.state().treeMapDisplay.breakdown.by).toBe("internalType");
  });
});
