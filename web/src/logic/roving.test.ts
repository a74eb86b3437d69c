// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { placeAfterKey, positionOfKeys } from "./roving";

it("arrows go from row to row and within one, and not beyond the ends", () => {
  const from = { row: 1, column: 1 };
  const to = (key: string) => placeAfterKey(key, from, 3, 3);
  expect([to("ArrowDown"), to("ArrowUp")]).toEqual([
    { row: 2, column: 0 },
    { row: 0, column: 0 },
  ]);
  expect([to("ArrowRight"), to("ArrowLeft"), to("Home"), to("End")]).toEqual([
    { row: 1, column: 2 },
    { row: 1, column: 0 },
    { row: 0, column: 0 },
    { row: 2, column: 0 },
  ]);
  expect([
    to("x"),
    placeAfterKey("ArrowRight", { row: 1, column: 2 }, 3, 3),
    placeAfterKey("ArrowLeft", { row: 0, column: 0 }, 3, 3),
  ]).toEqual([null, null, null]);
  expect([placeAfterKey("ArrowDown", { row: 2, column: 0 }, 3, 3), placeAfterKey("ArrowUp", { row: 0, column: 2 }, 3, 3)]).toEqual([
    null,
    null,
  ]);
});

it("keys are of a row that they have gone to before it came, until the focus is elsewhere", () => {
  const awaited = { position: 8, from: 7 };
  expect([positionOfKeys(null, 7), positionOfKeys(awaited, 7), positionOfKeys(awaited, 3)]).toEqual([7, 8, 3]);
});
