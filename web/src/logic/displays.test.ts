// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS } from "./displays";

describe("displays", () => {
  it("are those of Firefox's memory panel to begin with", () => {
    const names = Object.entries(CENSUS_DISPLAYS).map(([id, display]) => [id, display.displayName, display.inverted]);
    expect(names.slice(0, 3)).toEqual([
      ["coarseType", "Type", true],
      ["allocationStack", "Call Stack", false],
      ["invertedAllocationStack", "Inverted Call Stack", true],
    ]);
    expect(Object.keys(LABEL_DISPLAYS)).toEqual(["coarseType", "allocationStack"]);
  });

  it("FE-12: of a user's own are offered under their names", () => {
    const breakdown = { by: "internalType", then: { by: "count", bytes: true } };
    const { displays, error } = customDisplays(JSON.stringify({ "My Display": breakdown, Turned: { breakdown, inverted: true } }));
    expect(error).toBeNull();
    expect(displays["My Display"]).toMatchObject({ displayName: "My Display", breakdown, inverted: false });
    expect(displays["Turned"]).toMatchObject({ breakdown, inverted: true });
  });

  it("that cannot be read are said and ignored", () => {
    for (const text of ["{", "[]", "3", "null", '{"A": {}}', '{"A": null}', '{"A": {"breakdown": "count"}}']) {
      const { displays, error } = customDisplays(text);
      expect(displays).toEqual({});
      expect(error).toMatch(/custom display/);
    }
    expect(customDisplays("  ")).toEqual({ displays: {}, error: null });
  });
});
