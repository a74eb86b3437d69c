// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { farthest, figureWidth } from "./columns";

it("columns have room for all digits of their longest number", () => {
  expect(figureWidth("58px", ["1", "+123 456"])).toBe("max(58px, calc(8ch + 20px))");
  expect(figureWidth("58px", [])).toBe("max(58px, calc(0ch + 20px))");
});

it("columns with shares have room for both", () => {
  expect(figureWidth("100px", ["12 345 678"], ["100%"])).toBe("max(100px, calc(10ch + 20px + var(--with-shares) * (4ch + 8px)))");
  expect(figureWidth("100px", ["-5"], ["-12 345%"])).toBe("max(100px, calc(2ch + 20px + var(--with-shares) * (8ch + 8px)))");
});

it("the longest number is the one that is farthest from 0", () => {
  expect([farthest([3, -700, 12]), farthest([]), farthest([5, 900])]).toEqual([-700, 0, 900]);
});
