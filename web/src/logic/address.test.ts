// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { addressOf, addressText, enteringAddress, nodeIdOf, NOWHERE, type Address, sightOfAddress } from "./address";

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
      { view: "individuals", heap: "h1", indices: "3,4", bytes: "1234" },
      { view: "individuals", heap: "h1", kind: "(object shape)", labels: "Mine", labelBreakdown: '{"by":"count"}' },
      { view: "census", heap: "h1", display: "Mine~", breakdown: '{"by":"filename","then":{"by":"count"}}' },
      { view: "leaks", heap: "h1", heaps: ["h1", "h3", "h2"], anyway: "1" },
      { view: "leaks" },
      { view: "settings" },
    ];
    for (const address of addresses) {
      expect(addressOf(addressText(address))).toEqual({ address: { ...NOWHERE, ...address }, faults: [] });
    }
    expect(addressText({ view: "object", heap: "h1", node: 7 })).toBe("#/object/h1/7");
  });

  it("call heaps by words", () => {
    const words = { h1: "a/b, c.heapsnapshot", h2: "d~7" };
    const texts = [
      addressText({ view: "object", heap: "h1", node: 7 }, words),
      addressText({ view: "diff", heap: "h1", other: "h2" }, words),
      addressText({ view: "leaks", heaps: ["h2", "h1"] }, words),
    ];
    expect(texts).toEqual([
      "#/object/a%2Fb%2C%20c.heapsnapshot/7",
      "#/diff/a%2Fb%2C%20c.heapsnapshot/d~7",
      "#/leaks/d~7,a%2Fb%2C%20c.heapsnapshot",
    ]);
    const heaps = texts.map((text) => addressOf(text).address);
    expect(heaps.map(({ heap, other, heaps: all }) => [heap, other, all])).toEqual([
      [words.h1, null, []],
      [words.h1, words.h2, []],
      [words.h2, null, [words.h2, words.h1]],
    ]);
  });

  it("name objects as the tools of each engine do", () => {
    const ids = ["81779", "@81779", "0x1a5A000", "18446744073709551615", "0xffffffffffffffff", "abc", "0x", "-1", "@"].map(nodeIdOf);
    expect(ids).toEqual([81779, 81779, 27631616, "18446744073709551615", "18446744073709551615", null, null, null, null]);
  });

  it("that are not understood show the beginning, and say what is not", () => {
    for (const text of ["", "#", "#/"]) {
      expect(addressOf(text)).toEqual({ address: NOWHERE, faults: [] });
    }
    expect(addressOf("#/nothing/h1")).toEqual({ address: NOWHERE, faults: ["The address names no view of this page: “nothing”."] });
    expect(addressOf("#x").faults).toEqual(["The address names no view of this page: “x”."]);
    expect(addressOf("#/%zz").faults).toEqual(["The address names no view of this page: “%zz”."]);
    expect(addressOf("#/start/%zz").faults).toEqual(["The address has a % that is followed by no number."]);
    expect(addressOf("#/object/h1/abc")).toEqual({
      address: { ...NOWHERE, view: "object", heap: "h1" },
      faults: ["“abc” is no id of an object: an id is a number."],
    });
    expect(addressOf("#/census/h1/12?filtr=x&by=size&sort=name")).toEqual({
      address: { ...NOWHERE, view: "census", heap: "h1", sort: "name" },
      faults: [
        "“12” in the address means nothing here.",
        "“filtr” in the address means nothing here.",
        "“size” in the address is no value of “by”.",
      ],
    });
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

it("a sight is the same whichever object has the focus, unless the view is that object's", () => {
  expect(sightOfAddress("#/dominators/a.fxsnapshot/7?labels=stack&of=12")).toBe(sightOfAddress("#/dominators/a.fxsnapshot?labels=stack"));
  expect(sightOfAddress("#/dominators/a.fxsnapshot?labels=stack")).not.toBe(sightOfAddress("#/dominators/a.fxsnapshot"));
  expect(sightOfAddress("#/object/a.fxsnapshot/7")).not.toBe(sightOfAddress("#/object/a.fxsnapshot/8"));
  expect(sightOfAddress("#/diff/a/b")).not.toBe(sightOfAddress("#/diff/a/c"));
});
