// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { CensusDisplay, LabelDisplay } from "../types/breakdown";
import { displayOfWords, offeredDisplays, wordsOfDisplay } from "./address_displays";
import { CENSUS_DISPLAYS, LABEL_DISPLAYS } from "./displays";

const breakdown = { by: "internalType", then: { by: "count", count: true, bytes: true } };
const mine: CensusDisplay = { displayName: "Mine", tooltip: "A display of your own", inverted: true, breakdown };
const usual = CENSUS_DISPLAYS["coarseType"] as CensusDisplay;
const stacks = CENSUS_DISPLAYS["allocationStack"] as CensusDisplay;
const here = { builtIn: CENSUS_DISPLAYS, own: { Mine: mine } };
const elsewhere = { builtIn: CENSUS_DISPLAYS, own: {} };

describe("displays in addresses", () => {
  it("are known by their ids, as they are and turned over", () => {
    for (const display of [usual, stacks, { ...stacks, inverted: true }, { ...usual, inverted: false }]) {
      expect(displayOfWords(elsewhere, wordsOfDisplay(elsewhere, display), usual)).toEqual({ display, fault: null });
    }
    expect(wordsOfDisplay(here, usual)).toEqual({ id: "", breakdown: "" });
    expect(wordsOfDisplay(here, { ...usual, inverted: false })).toEqual({ id: "coarseType~", breakdown: "" });
    expect(displayOfWords(here, { id: "allocationStack", breakdown: "" }, usual).display).toBe(stacks);
  });

  it("say how they group where other browsers do not know them", () => {
    const words = wordsOfDisplay(here, mine);
    expect(words).toEqual({ id: "Mine~", breakdown: JSON.stringify(breakdown) });
    expect(displayOfWords(here, words, usual).display).toBe(mine);
    const { display, fault } = displayOfWords(elsewhere, words, usual);
    expect([display, fault]).toEqual([{ ...mine, tooltip: "A display of the address" }, null]);
    expect(displayOfWords(elsewhere, words, display).display).toBe(display);
    // One of the same name that groups otherwise is another.
    const other = { builtIn: CENSUS_DISPLAYS, own: { Mine: { ...mine, breakdown: { by: "count" } } } };
    expect(displayOfWords(other, words, usual).display.breakdown).toEqual(breakdown);
    expect(Object.keys(offeredDisplays(elsewhere, display))).toEqual([...Object.keys(CENSUS_DISPLAYS), "Mine"]);
    expect(offeredDisplays(here, mine)).toEqual({ ...CENSUS_DISPLAYS, Mine: mine });
  });

  it("are said to be unknown, or what is wrong with them", () => {
    const unknown = displayOfWords(elsewhere, { id: "Mine", breakdown: "" }, stacks);
    expect(unknown.display).toBe(usual);
    expect(unknown.fault).toBe(
      "The display “Mine” is not known to this browser, and the address does not say how it groups. “Type” is shown instead.",
    );
    expect(displayOfWords(here, { id: "Mine", breakdown: "" }, stacks)).toEqual({ display: mine, fault: null });
    expect(displayOfWords(elsewhere, { id: "Mine", breakdown: '{"by":"size"}' }, stacks).fault).toMatch(
      /cannot be read: "by" cannot be "size"/,
    );
  });

  it("of labels cannot be turned over", () => {
    const labels = { builtIn: LABEL_DISPLAYS, own: {} };
    const { display } = displayOfWords(
      labels,
      { id: "Mine", breakdown: JSON.stringify(breakdown) },
      LABEL_DISPLAYS["coarseType"] as LabelDisplay,
    );
    expect(display).toEqual({ displayName: "Mine", tooltip: "A display of the address", breakdown });
  });
});
