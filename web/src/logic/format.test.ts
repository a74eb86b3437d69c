// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import {
  abbreviateBytes,
  distanceWords,
  formatId,
  formatDistance,
  formatNumber,
  formatPercent,
  formatSize,
  formatTime,
  percentOf,
  plural,
} from "./format";

describe("numbers", () => {
  it("FE-2: are rounded and grouped", () => {
    expect([12, 0, -0, 1234567, 12345678, 123456789].map((n) => formatNumber(n))).toEqual([
      "12",
      "0",
      "0",
      "1 234 567",
      "12 345 678",
      "123 456 789",
    ]);
  });

  it("FE-3: have a sign where one is asked for", () => {
    expect([formatNumber(12, true), formatNumber(-12, true)]).toEqual(["+12", "-12"]);
  });

  it("FE-4: round half up, lose their sign, and keep it on request", () => {
    expect([-0.4, 0.5, -0.5, 999.5, -1234].map((n) => formatNumber(n))).toEqual(["0", "1", "0", "1 000", "1 234"]);
    expect(formatNumber(-1234.6, true)).toBe("-1 235");
  });

  it("keep all digits beyond 10^21", () => {
    expect(formatNumber(1e21)).toBe("1 000 000 000 000 000 000 000");
  });

  it("FE-5: percentages are numbers with a sign of percent", () => {
    expect([formatPercent(12), formatPercent(12345)]).toEqual(["12%", "12 345%"]);
    expect([percentOf(1, 4), percentOf(1, 0)]).toEqual([25, 0]);
  });

  it("are followed by the right word", () => {
    expect([plural(1, "node"), plural(2345, "node"), plural(0, "entry", "entries")]).toEqual(["1 node", "2 345 nodes", "0 entries"]);
  });
});

describe("bytes", () => {
  it("FE-6: are whole units, rounded down", () => {
    const sizes = [12, 12345, 12345678, 12345678912, 1023, 1024, 1048575, 1073741823];
    expect(sizes.map(abbreviateBytes)).toEqual(["12B", "12KiB", "11MiB", "11GiB", "1023B", "1KiB", "1023KiB", "1023MiB"]);
  });

  it("have three digits in text", () => {
    expect([0, 1, 1023, 1024, 150_000, 1048576 * 512].map(formatSize)).toEqual([
      "0 bytes",
      "1 byte",
      "1 023 bytes",
      "1.00 KiB",
      "146 KiB",
      "512 MiB",
    ]);
  });
});

it("distances are steps, unless only the engine's own roots reach a node", () => {
  expect([0, 7, null, undefined, 100_000_004].map(formatDistance)).toEqual(["0", "7", "–", "–", "engine"]);
  expect([1, 2, null, 100_000_004].map(distanceWords)).toEqual(["1 step", "2 steps", "not reached", "only from the engine's own roots"]);
});

it("addresses of nodes are hexadecimal, also beyond 2^53", () => {
  const ids = [255, "18446744073709551615"];
  expect(ids.map((id) => formatId(id, "fxsnapshot"))).toEqual(["@ 0xff", "@ 0xffffffffffffffff"]);
  expect(ids.map((id) => formatId(id, "heapsnapshot"))).toEqual(["@255", "@18446744073709551615"]);
});

it("times are written by ISO 8601, with a space between day and time", () => {
  expect(formatTime(new Date(2026, 10, 2, 5, 37, 1).getTime() * 1000)).toBe("2026-11-02 05:37:01");
});
