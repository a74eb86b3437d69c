// SPDX-License-Identifier: MIT
// Tasks that list classes and their objects.
import { summaryKey } from "../../logic/summary_rows";
import type { State, Task } from "..";
import * as a from "../actions";
import { SUMMARY, type SnapshotId, type SummaryWanted } from "../models";
import { isSummaryOf } from "../reducers/summary";
import { snapshotOf } from "../selectors";
import { PAGE_ROWS, progressOf, ROW_REQUESTS } from "./census";
import { cancelOf, errorText, joined, joinedFew, namedError } from "./context";

export function wantedSummary({ filter, summarySort }: State): SummaryWanted {
  return { filter, sort: summarySort };
}

/** The first classes of one snapshot; again while another order or text is wanted meanwhile. */
export function takeSummary(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `summary ${id}`, async () => {
      const { summary, path } = snapshotOf(getState(), id) ?? {};
      if (!path || (summary && summary.state !== SUMMARY.ERROR && isSummaryOf(summary, wantedSummary(getState())))) {
        return;
      }
      for (;;) {
        const of = wantedSummary(getState());
        const isStale = () => !isSummaryOf({ ...of } as never, wantedSummary(getState()));
        dispatch(a.takeSummaryStart({ id, of }));
        try {
          const options = { signal: cancelOf(context, id).signal, onProgress: dispatch(progressOf(id)) };
          const page = await context.client.getClasses(path, { ...of, offset: 0, rows: PAGE_ROWS }, options);
          if (!isStale()) {
            dispatch(a.summaryRowsCame({ id, of, page }));
            return;
          }
        } catch (error) {
          if (!isStale()) {
            dispatch(a.takeSummaryError({ id, error: errorText(error) ?? "Counting was cancelled." }));
            return;
          }
        }
      }
    });
}

/** Some more classes; not while `most` others are being fetched, after which a table asks for those that it then shows. */
export function fetchClasses(id: SnapshotId, offset: number, most = ROW_REQUESTS): Task {
  return (dispatch, getState, context) => {
    const { summary, path } = snapshotOf(getState(), id) ?? {};
    if (!summary || !path) {
      return Promise.resolve();
    }
    const of = { filter: summary.filter, sort: summary.sort };
    return joinedFew(context, `classes ${id} ${of.filter} ${of.sort} `, String(offset), most, async () => {
      try {
        dispatch(a.summaryRowsCame({ id, of, page: await context.client.getClasses(path, { ...of, offset, rows: PAGE_ROWS }) }));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
  };
}

/** Opens a class to its objects, those first that retain most; or brings as many again of one that is open. */
export function fetchClassNodes(id: SnapshotId, index: number): Task {
  return (dispatch, getState, context) => {
    const { summary, path } = snapshotOf(getState(), id) ?? {};
    const row = summary?.rows[index];
    if (!summary || !row || !path) {
      return Promise.resolve();
    }
    const key = summaryKey(row);
    const known = summary.open.get(key);
    if (!known) {
      dispatch(a.toggleClass({ id, index, isOpen: true }));
    }
    return joined(context, `objects ${id} ${key}`, async () => {
      try {
        const nodes = await context.client.getClassNodes(path, row, known?.nodes ? known.nodes.length * 2 : PAGE_ROWS);
        dispatch(a.classNodesCame({ id, key, nodes }));
      } catch (error) {
        dispatch(a.toggleClass({ id, index, isOpen: false }));
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
  };
}
