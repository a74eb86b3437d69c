// SPDX-License-Identifier: MIT
// Tables as they are copied: whole, whatever of them has been looked at.
import { treeWithPage, type RowTree } from "../../logic/rows";
import { summaryCells, visibleClasses } from "../../logic/summary_rows";
import { censusCells } from "../../logic/census_cells";
import type { CensusPage, RowId } from "../../types/heap";
import type { Task } from "..";
import type { CensusModel, SnapshotId } from "../models";
import { snapshotOf } from "../selectors";
import { pageOptions } from "./census";

/** Rows of a copy; a last one says how many there are besides. */
export const COPIED_ROWS = 100_000;

type Cells = (string | number | null)[][];

/** All classes, and below those that are open the objects that are shown. */
export function summaryToCopy(id: SnapshotId, most = COPIED_ROWS): Task<Promise<Cells>> {
  return async (_dispatch, getState, { client }) => {
    const { summary, path } = snapshotOf(getState(), id) ?? {};
    if (!summary || !path) {
      return [];
    }
    const { filter, sort, open } = summary;
    const { rows, count } = await client.getClasses(path, { filter, sort, offset: 0, rows: most });
    return summaryCells(visibleClasses({ count, rows: { ...rows }, open }), most);
  };
}

/** A tree with all rows of the lists that are open, as far as they are copied. */
async function withAllRows(
  { report, expanded }: CensusModel & { report: RowTree },
  most: number,
  fetchPage: (parent: RowId) => Promise<CensusPage>,
): Promise<RowTree> {
  let tree = report;
  for (const parent of [report.root, ...expanded]) {
    const { childCount = 0, ids = {} } = report.lists[parent] ?? {};
    if (Object.keys(ids).length < Math.min(childCount, most)) {
      tree = treeWithPage(tree, await fetchPage(parent), null, most);
    }
  }
  return tree;
}

async function censusCopied(
  census: CensusModel | null | undefined,
  most: number,
  fetchPage: (parent: RowId) => Promise<CensusPage>,
): Promise<Cells> {
  const { report, expanded } = census ?? {};
  return census && report && expanded ? censusCells(await withAllRows({ ...census, report }, most, fetchPage), expanded, most) : [];
}

export function censusToCopy(id: SnapshotId, most = COPIED_ROWS): Task<Promise<Cells>> {
  return (_dispatch, getState, { client }) => {
    const { census, path } = snapshotOf(getState(), id) ?? {};
    return censusCopied(census, most, (parent) =>
      client.getCensusRows(path ?? "", { ...pageOptions(census as CensusModel, parent, 0), rows: most }),
    );
  };
}

/** What changed between two, by groups. */
export function diffToCopy(most = COPIED_ROWS): Task<Promise<Cells>> {
  return (_dispatch, getState, { client }) => {
    const { census, firstSnapshotId: first, secondSnapshotId: second } = getState().diffing ?? {};
    const [from, to] = [first, second].map((id) => snapshotOf(getState(), id ?? null)?.path ?? "") as [string, string];
    return censusCopied(census, most, (parent) =>
      client.getCensusDiffRows(from, to, { ...pageOptions(census as CensusModel, parent, 0), rows: most }),
    );
  };
}
