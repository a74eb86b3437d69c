// SPDX-License-Identifier: MIT
import { moreRows } from "./commands";
import { rowNameText } from "./names";
import { visibleRows, type RowTree } from "./rows";
import type { RowId } from "../types/heap";

type Cells = (string | number | null)[][];

/** Rows that are visible, with their titles: `most` at most, and a last one that says how many there are besides. */
export function censusCells(tree: RowTree | null, expanded: ReadonlySet<RowId>, most: number): Cells {
  const cells: Cells = [["bytes", "count", "totalBytes", "totalCount", "level", "name"]];
  if (!tree) {
    return cells;
  }
  const visible = visibleRows(tree, expanded);
  for (let at = 0; at < Math.min(visible.length, most); at++) {
    const one = visible.at(at);
    if (one?.row) {
      const { bytes, count, totalBytes, totalCount, name } = one.row;
      cells.push([bytes, count, totalBytes, totalCount, one.level, rowNameText(name)]);
    }
  }
  if (visible.length > most) {
    cells.push([null, null, null, null, null, moreRows(visible.length - most)]);
  }
  return cells;
}
