// SPDX-License-Identifier: MIT
// The list of classes of one snapshot: what each action makes of it.
import { summaryKey, type ClassNode, type ClassRow } from "../../logic/summary_rows";
import { SUMMARY, type SummaryModel, type SummaryWanted } from "../models";

export interface SummaryPage {
  offset: number;
  count: number;
  totalSize: number;
  classCount: number;
  rows: ClassRow[];
}

export function savingSummary({ filter, sort }: SummaryWanted): SummaryModel {
  const nothing = { count: 0, rows: {}, open: new Map(), totalSize: 0, classCount: 0, focused: null, error: null };
  return { state: SUMMARY.SAVING, filter, sort, ...nothing };
}

export function isSummaryOf(summary: SummaryModel | null, { filter, sort }: SummaryWanted): boolean {
  return summary !== null && (summary.filter ?? "") === (filter ?? "") && summary.sort === sort;
}

/** With some classes more, unless they are of another order by now. */
export function withClasses(summary: SummaryModel | null, of: SummaryWanted, page: SummaryPage): SummaryModel | null {
  if (!summary || !isSummaryOf(summary, of)) {
    return summary;
  }
  const rows = { ...summary.rows };
  page.rows.forEach((row, at) => (rows[page.offset + at] = row));
  const { count, totalSize, classCount } = page;
  return { ...summary, state: SUMMARY.SAVED, rows, count, totalSize, classCount, error: null };
}

/** With a class open, whose objects are on their way; or closed. */
export function withClassOpen(summary: SummaryModel | null, index: number, isOpen: boolean): SummaryModel | null {
  const row = summary?.rows[index];
  if (!summary || !row) {
    return summary;
  }
  const open = new Map(summary.open);
  if (isOpen) {
    open.set(summaryKey(row), { index, row, nodes: null });
  } else {
    open.delete(summaryKey(row));
  }
  return { ...summary, open };
}

/** With the objects of a class, unless it was closed meanwhile. A rest that was opened gives the focus to the first that came of it. */
export function withNodes(summary: SummaryModel | null, key: string, nodes: ClassNode[]): SummaryModel | null {
  const known = summary?.open.get(key);
  if (!summary || !known) {
    return summary;
  }
  const first = nodes[known.nodes?.length ?? 0];
  const wasRest = summary.focused?.key === `rest of ${key}` && known.nodes && first;
  const focused = wasRest ? { key: `node ${first.id}`, nodeId: first.id } : summary.focused;
  return { ...summary, open: new Map(summary.open).set(key, { ...known, nodes }), focused };
}
