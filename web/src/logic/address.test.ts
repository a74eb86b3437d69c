// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { addressOf, addressText, NOWHERE, type Address } from "./address";

describe("addresses", () => {
  it("say what is shown, and are understood again", () => {
    const addresses: Partial<Address>[] = [
      { view: "start", heap: "h1" },
      { view: "census", heap: "h2", display: "allocationStack", filter: "a/b?c#d & é", sort: "-count" },
      { view: "diff", heap: "h1", other: "h2" },
      { view: "object", heap: "h1", node: 1810879808088 },
      { view: "object", heap: "h1", node: "18446744073709551615" },
      { view: "individuals", heap: "h1", indices: "3,4" },
      { view: "settings" },
    ];
    for (const address of addresses) {
      expect(addressOf(addressText(address))).toEqual({ ...NOWHERE, ...address });
    }
    expect(addressText({ view: "object", heap: "h1", node: 7 })).toBe("#/object/h1/7");
  });

  it("that are not understood show the beginning", () => {
    for (const text of ["", "#", "#/", "#/nothing/h1", "#/%zz", "#x"]) {
      expect(addressOf(text)).toEqual(NOWHERE);
    }
    expect(addressOf("#/object/h1/abc")).toEqual({ ...NOWHERE, view: "object", heap: "h1" });
  });
});
