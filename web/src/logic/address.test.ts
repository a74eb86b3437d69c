// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { addressOf, addressText, enteringAddress, NOWHERE, type Address } from "./address";

describe("addresses", () => {
  it("say what is shown, and are understood again", () => {
    const addresses: Partial<Address>[] = [
      { view: "start", heap: "h1" },
      { view: "census", heap: "h2", display: "allocationStack", filter: "a/b?c#d & é", sort: "-count" },
      { view: "diff", heap: "h1", other: "h2" },
      { view: "diff", heap: "h1", other: "h2", by: "class", sort: "-delta", row: "Object/Point/a b.js:3:4", side: "deleted" },
      { view: "object", heap: "h1", node: 1810879808088 },
      { view: "object", heap: "h1", node: "18446744073709551615" },
      { view: "dominators", heap: "h1", node: 1810879808088 },
      { view: "dominators", heap: "h1", by: "class", labels: "allocationStack" },
      { view: "tree-map", heap: "h1", node: 12 },
      { view: "individuals", heap: "h1", indices: "3,4" },
      { view: "leaks", heap: "h1", heaps: ["h1", "h3", "h2"], anyway: "1" },
      { view: "leaks" },
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

describe("what is pasted from the terminal", () => {
  const token = "0123456789abcdef0123456789abcdef";

  it("leads to its server, a token alone to the server of the page", () => {
    const here = "http://127.0.0.1:1";
    expect(enteringAddress(` http://127.0.0.1:2/?token=${token}\n`, here)).toBe(`http://127.0.0.1:2/?token=${token}`);
    expect(enteringAddress(`http://[::1]:2/?a=b&token=${token}`, here)).toBe(`http://[::1]:2/?token=${token}`);
    expect(enteringAddress(token, here)).toBe(`${here}/?token=${token}`);
    expect(enteringAddress(`?token=${token}`, here)).toBe(`${here}/?token=${token}`);
  });

  it("leads nowhere without a token", () => {
    for (const text of ["", "x", "http://127.0.0.1:2/", `http://127.0.0.1:2/?token=${token}0`, token.slice(1), `javascript:${token}`]) {
      expect(enteringAddress(text, "http://127.0.0.1:1")).toBeNull();
    }
  });
});
