// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS, TREE_MAP_DISPLAY } from "./displays";
import { breakdownOf, nameFault, ownDisplays, withDisplay, withoutDisplay } from "./own_displays";

describe("a breakdown of one's own", () => {
  const fault = (value: unknown) => breakdownOf(JSON.stringify(value)).fault;

  it("is right where each of its parts is", () => {
    const all = [...Object.values(CENSUS_DISPLAYS), ...Object.values(LABEL_DISPLAYS), TREE_MAP_DISPLAY];
    expect(all.map(({ breakdown }) => fault(breakdown))).toEqual(all.map(() => null));
    expect(breakdownOf('{ "by": "count", "bytes": true, "label": "x" }').breakdown).toEqual({ by: "count", bytes: true, label: "x" });
  });

  it("is refused in words", () => {
    expect(breakdownOf(" ").fault).toBe("Say how to group: a breakdown.");
    expect(breakdownOf("{").fault).toMatch(/^That is not JSON: /);
    expect(fault([])).toMatch(/^A breakdown is an object, .* at the beginning is something else/);
    expect(fault({ then: {} })).toMatch(/^There is no "by" at the beginning: it is one of count, /);
    expect(fault({ by: "size" })).toMatch(/^"by" cannot be "size": it is one of count, /);
    expect(fault({ by: "objectClass", then: 3 })).toMatch(/inside of "objectClass" is something else/);
    expect(fault({ by: "filename", then: { by: "internalType", then: { by: "filename" } } })).toMatch(/^"filename" is inside of itself/);
    expect(fault({ by: "internalType", noStack: { by: "count" } })).toBe('"internalType" has no part "noStack": it has then.');
    expect(fault({ by: "count", then: { by: "count" } })).toBe('"count" has no part "then": it has count, bytes and label.');
  });

  it("has a name that is not taken", () => {
    expect([nameFault("census", " "), nameFault("census", "Mine")]).toEqual(["Give it a name.", null]);
    expect(nameFault("census", "Call Stack")).toMatch(/already/);
    expect(nameFault("label", "allocationStack")).toMatch(/already/);
    expect(nameFault("treeMap", "Call Stack")).toBeNull();
    expect(nameFault("census", "a~")).toMatch(/~/);
  });

  it("is kept, replaced and deleted by its name", () => {
    const breakdown = '{ "by": "internalType", "then": { "by": "count" } }';
    const one = withDisplay("", { name: " Mine ", breakdown, inverted: true });
    expect(customDisplays(one).displays["Mine"]).toMatchObject({ displayName: "Mine", inverted: true, breakdown: { by: "internalType" } });
    const two = withDisplay(withDisplay(one, { name: "Other", breakdown, inverted: false }), {
      name: "Mine",
      breakdown: '{ "by": "count" }',
      inverted: false,
    });
    expect(ownDisplays(two).map(({ name, inverted, breakdown: text }) => [name, inverted, JSON.parse(text).by])).toEqual([
      ["Other", false, "internalType"],
      ["Mine", false, "count"],
    ]);
    expect(ownDisplays(withoutDisplay(two, "Other")).map(({ name }) => name)).toEqual(["Mine"]);
    expect(withoutDisplay(one, "Mine")).toBe("");
    expect(ownDisplays("{")).toEqual([]);
  });
});
