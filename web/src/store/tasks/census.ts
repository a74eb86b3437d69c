// SPDX-License-Identifier: MIT
// Tasks that count: censuses, tree maps, reports.
import type { PageOptions } from "../../api/HeapAnalysesClient";
import { withDetail, type WantedDetail } from "../../logic/map_details";
import { labelText } from "../../logic/names";
import type { NodeId, RowId } from "../../types/heap";
import type { State, Task } from "..";
import * as a from "../actions";
import { CENSUS, TREE_MAP, type Progress, type SnapshotId } from "../models";
import { isCensusOf, type CensusWanted } from "../reducers/census";
import { snapshotOf } from "../selectors";
import { cancelOf, errorText, joined, joinedFew, namedError } from "./context";

/** Rows that are asked for at once. */
export const PAGE_ROWS = 100;
/** Requests for rows of one table at a time. */
export const ROW_REQUESTS = 2;

export function wantedOf({ censusDisplay, filter, sort }: State): CensusWanted {
  return { display: censusDisplay, filter, sort };
}

export function pageOptions({ display, filter, sort }: CensusWanted, parent: RowId | null, offset: number): PageOptions {
  return { breakdown: display.breakdown, inverted: display.inverted, filter, sort, parent, offset, rows: PAGE_ROWS };
}

/** What says how far a snapshot's task is. */
export function progressOf(id: SnapshotId): Task<(progress: Progress) => void> {
  return (dispatch) => (progress) => void dispatch(a.snapshotProgress({ id, progress }));
}

/** A census of one snapshot; again while what is wanted changes meanwhile. */
export function takeCensus(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `census ${id}`, async () => {
      const census = snapshotOf(getState(), id)?.census ?? null;
      if (census && census.state !== CENSUS.ERROR && isCensusOf(census, wantedOf(getState()))) {
        return;
      }
      for (;;) {
        const wanted = wantedOf(getState());
        dispatch(a.takeCensusStart({ id, ...wanted }));
        const isStale = () => !isCensusOf({ ...wanted } as never, wantedOf(getState()));
        try {
          const path = snapshotOf(getState(), id)?.path ?? "";
          const page = await context.client.getCensusRows(path, pageOptions(wanted, null, 0), {
            signal: cancelOf(context, id).signal,
            onProgress: dispatch(progressOf(id)),
          });
          if (!isStale()) {
            dispatch(a.takeCensusEnd({ id, ...wanted, page }));
            return;
          }
        } catch (error) {
          if (!isStale()) {
            dispatch(a.takeCensusError({ id, error: errorText(error) ?? "The census was cancelled." }));
            return;
          }
        }
      }
    });
}

/** Some more rows of a census that is there; not while `most` others are being fetched, after which a table asks for those that it then shows. */
export function fetchCensusRows(id: SnapshotId, parent: RowId, offset: number, most = ROW_REQUESTS): Task {
  return (dispatch, getState, context) => {
    const census = snapshotOf(getState(), id)?.census;
    if (!census?.report) {
      return Promise.resolve();
    }
    const of = { display: census.display, filter: census.filter, sort: census.sort };
    const prefix = `rows ${id} ${of.display.displayName} ${of.display.inverted} ${of.filter} ${of.sort} `;
    return joinedFew(context, prefix, `${parent} ${offset}`, most, async () => {
      const path = snapshotOf(getState(), id)?.path ?? "";
      try {
        const page = await context.client.getCensusRows(path, pageOptions(of, parent, offset));
        dispatch(a.censusRowsCame({ id, of, page }));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
  };
}

/** Opens a row, and fetches what is below. */
export function expandCensusRow(id: SnapshotId, node: RowId): Task {
  return async (dispatch, getState) => {
    if (!snapshotOf(getState(), id)?.census?.report?.lists[node]) {
      await dispatch(fetchCensusRows(id, node, 0, Infinity));
    }
    dispatch(a.expandCensusNode({ id, node }));
  };
}

export interface PixelSize {
  width: number;
  height: number;
}

const DEFAULT_SIZE: PixelSize = { width: 1200, height: 700 };
/** Of a map of which only the total is looked at: its boxes are few. */
export const TOTAL_SIZE: PixelSize = { width: 60, height: 40 };

/** Whether a map is to be looked at. */
export function isForLooking(report: PixelSize): boolean {
  return report.width > TOTAL_SIZE.width;
}

/** A tree map of one snapshot, of a size in pixels; the one that is there will do if it has that size. Filters are not for it. */
export function takeTreeMap(id: SnapshotId, size?: PixelSize): Task {
  return (dispatch, getState, context) =>
    joined(context, `tree map ${id}`, async () => {
      for (;;) {
        const { treeMapDisplay: display } = getState();
        const treeMap = snapshotOf(getState(), id)?.treeMap;
        const shown = treeMap?.report && isForLooking(treeMap.report) ? treeMap.report : DEFAULT_SIZE;
        const wanted = size ?? shown;
        const isThere = treeMap?.report?.width === wanted.width && treeMap.report.height === wanted.height && treeMap.display === display;
        if (isThere && treeMap.state === TREE_MAP.SAVED) {
          return;
        }
        dispatch(a.takeTreeMapStart({ id, display }));
        try {
          const path = snapshotOf(getState(), id)?.path ?? "";
          const { width, height } = wanted;
          const report = await context.client.getTreeMap(
            path,
            { breakdown: display.breakdown, width, height },
            { signal: cancelOf(context, id).signal, onProgress: dispatch(progressOf(id)) },
          );
          if (getState().treeMapDisplay === display) {
            dispatch(a.takeTreeMapEnd({ id, display, report }));
            return;
          }
        } catch (error) {
          dispatch(a.takeTreeMapError({ id, error: errorText(error) ?? "Drawing was cancelled." }));
          return;
        }
      }
    });
}

/** The boxes of a part of the map, which replace what was in it; a part of a map that is gone meanwhile is dropped. */
export function fetchTreeMapDetail(id: SnapshotId, wanted: WantedDetail): Task {
  return (dispatch, getState, context) =>
    joined(context, `tree map detail ${id}`, async () => {
      const { path, treeMap } = snapshotOf(getState(), id) ?? {};
      if (!path || !treeMap?.report) {
        return;
      }
      const { parent, offset, width, height } = wanted;
      const { boxes: of } = treeMap.report;
      try {
        const detail = await context.client.getTreeMap(path, { breakdown: treeMap.display.breakdown, width, height, parent, offset });
        dispatch(a.treeMapDetailCame({ id, of, boxes: withDetail(of, wanted, detail.boxes) }));
      } catch (error) {
        dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
      }
    });
}

/** Looks for the box that counts an object. */
export function seekObjectInTreeMap(id: SnapshotId, nodeId: NodeId): Task {
  return async (dispatch, getState, { client }) => {
    const { path, treeMap } = snapshotOf(getState(), id) ?? {};
    if (!path || !treeMap || treeMap.sought?.nodeId === nodeId) {
      return;
    }
    try {
      const label = await client.getLabel(path, nodeId, treeMap.display.breakdown);
      dispatch(a.seekInTreeMap({ id, sought: { nodeId, way: (label ?? []).map((piece) => labelText([piece])) } }));
    } catch (error) {
      dispatch(a.noticeChanged(namedError(snapshotOf(getState(), id)?.name, error)));
    }
  };
}

/** What `report` says of a snapshot; of what is no heap, what the command prints. */
export function takeReport(id: SnapshotId): Task {
  return (dispatch, getState, context) =>
    joined(context, `report ${id}`, async () => {
      const snapshot = snapshotOf(getState(), id);
      if (!snapshot?.path || snapshot.report?.report || snapshot.report?.text) {
        return;
      }
      const options = { signal: cancelOf(context, id).signal, onProgress: dispatch(progressOf(id)) };
      dispatch(a.takeReportStart({ id }));
      try {
        if (snapshot.kind === "heap") {
          dispatch(a.takeReportEnd({ id, report: await context.client.getReport(snapshot.path, options), text: null }));
        } else {
          const question = snapshot.kind === "timeline" ? "timeline" : "report";
          const text = await context.client.getPage(snapshot.path, question, { pageColumns: 110 }, { signal: options.signal });
          dispatch(a.takeReportEnd({ id, report: null, text }));
        }
      } catch (error) {
        dispatch(a.takeReportError({ id, error: errorText(error) ?? "The report was cancelled." }));
      }
    });
}
