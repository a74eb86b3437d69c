// SPDX-License-Identifier: MIT
// A census is the same model in a snapshot and in a diff: these functions change either.
import { treeOfPage, treeWithPage } from "../../logic/rows";
import type { CensusDisplay } from "../../types/breakdown";
import type { CensusPage, RowId } from "../../types/heap";
import { CENSUS, type CensusModel, type Sort } from "../models";

export interface CensusWanted {
  display: CensusDisplay;
  filter: string | null;
  sort: Sort;
}

export function savingCensus({ display, filter, sort }: CensusWanted): CensusModel {
  return { state: CENSUS.SAVING, report: null, display, filter, sort, expanded: new Set(), focused: null, error: null };
}

export function savedCensus({ page, ...wanted }: CensusWanted & { page: CensusPage }): CensusModel {
  return { ...savingCensus(wanted), state: CENSUS.SAVED, report: treeOfPage(page) };
}

/** Whether a census is of what is wanted; displays are the same if they are one object. */
export function isCensusOf(census: CensusModel | null, { display, filter, sort }: CensusWanted): boolean {
  return census !== null && census.display === display && (census.filter ?? "") === (filter ?? "") && census.sort === sort;
}

/** More rows, unless they are of another census by now. */
export function withRows(census: CensusModel | null, of: CensusWanted, page: CensusPage): CensusModel | null {
  if (!census?.report || !isCensusOf(census, of)) {
    return census;
  }
  return { ...census, report: treeWithPage(census.report, page, census.focused) };
}

export function withExpanded(census: CensusModel | null, node: RowId, isExpanded: boolean): CensusModel | null {
  return census && { ...census, expanded: changed(census.expanded, node, isExpanded) };
}

export function withFocused(census: CensusModel | null, node: RowId | null): CensusModel | null {
  return census && { ...census, focused: node };
}

/** A copy with or without a member. */
export function changed<T>(set: ReadonlySet<T>, member: T, isMember: boolean): ReadonlySet<T> {
  const copy = new Set(set);
  if (isMember) {
    copy.add(member);
  } else {
    copy.delete(member);
  }
  return copy;
}
