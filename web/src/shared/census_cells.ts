// SPDX-License-Identifier: MIT
import { rowNameText } from "../logic/names";
import { visibleRows } from "../logic/rows";
import type { CensusModel } from "../store/models";

const COPIED_ROWS = 10_000;

/** Rows that are visible and have come, with their titles. */
export function censusCells({ report, expanded }: CensusModel): (string | number)[][] {
  const titles = ["bytes", "count", "totalBytes", "totalCount", "level", "name"];
  if (!report) {
    return [titles];
  }
  const visible = visibleRows(report, expanded);
  const cells: (string | number)[][] = [titles];
  for (let at = 0; at < Math.min(visible.length, COPIED_ROWS); at++) {
    const one = visible.at(at);
    if (one?.row) {
      const { bytes, count, totalBytes, totalCount, name } = one.row;
      cells.push([bytes, count, totalBytes, totalCount, one.level, rowNameText(name)]);
    }
  }
  return cells;
}
