// SPDX-License-Identifier: MIT
// Tasks that compare two snapshots.
import { changedClasses, classKey, type ClassSide } from "../../logic/class_diff";
import type { RowId } from "../../types/heap";
import type { Task } from "..";
import * as a from "../actions";
import { DIFFING, VIEW, type ClassChoice, type SnapshotId } from "../models";
import { isCensusOf } from "../reducers/census";
import { snapshotOf } from "../selectors";
import { pageOptions, ROW_REQUESTS, wantedOf } from "./census";
import { errorText, joined, joinedFew } from "./context";
import { changeView, changeViewAndRefresh, readSnapshot } from "./views";

export function toggleDiffing(): Task {
  return async (dispatch, getState) => {
    await dispatch(changeViewAndRefresh(getState().view.state === VIEW.DIFFING ? VIEW.CENSUS : VIEW.DIFFING));
  };
}

/** The first pick is the baseline, the second is compared with it, at once. */
export function selectForDiffing(id: SnapshotId): Task {
  return async (dispatch) => {
    dispatch(a.selectSnapshotForDiffing({ id }));
    await dispatch(refreshDiffing());
  };
}

/** Compares two snapshots. */
export function compareSnapshots(first: SnapshotId, second: SnapshotId): Task {
  return async (dispatch) => {
    dispatch(changeView(VIEW.DIFFING));
    dispatch(a.selectSnapshotForDiffing({ id: first }));
    await dispatch(selectForDiffing(second));
  };
}

/** The difference of the pair that was chosen; again while what is wanted changes meanwhile. A pair that was left is given up. */
export function refreshDiffing(): Task {
  return (dispatch, getState, context) => {
    const { firstSnapshotId: first, secondSnapshotId: second } = getState().diffing ?? {};
    if (!first || !second) {
      return Promise.resolve();
    }
    const isPair = () => getState().diffing?.firstSnapshotId === first && getState().diffing?.secondSnapshotId === second;
    return joined(context, `diff ${first} ${second}`, async () => {
      await Promise.all([dispatch(readSnapshot(first)), dispatch(readSnapshot(second))]);
      while (isPair()) {
        const wanted = wantedOf(getState());
        const { state, census } = getState().diffing ?? {};
        if (state === DIFFING.TOOK_DIFF && isCensusOf(census ?? null, wanted)) {
          return;
        }
        dispatch(a.takeCensusDiffStart({ first, second, ...wanted }));
        try {
          const page = await context.client.getCensusDiffRows(pathOf(first), pathOf(second), pageOptions(wanted, null, 0));
          if (isCensusOf({ ...wanted } as never, wantedOf(getState()))) {
            dispatch(a.takeCensusDiffEnd({ first, second, ...wanted, page }));
          }
        } catch (error) {
          if (isPair()) {
            dispatch(a.diffingError({ error: errorText(error) ?? "Comparing was cancelled." }));
          }
          return;
        }
      }
    });

    function pathOf(id: SnapshotId): string {
      return snapshotOf(getState(), id)?.path ?? "";
    }
  };
}

/** Some more rows of the difference; not while `most` others are being fetched. */
export function fetchDiffingRows(parent: RowId, offset: number, most = ROW_REQUESTS): Task {
  return (dispatch, getState, context) => {
    const { firstSnapshotId: first, secondSnapshotId: second, census } = getState().diffing ?? {};
    if (!first || !second || !census?.report) {
      return Promise.resolve();
    }
    const of = { display: census.display, filter: census.filter, sort: census.sort };
    const prefix = `diff rows ${first} ${second} ${of.display.displayName} ${of.display.inverted} ${of.filter} ${of.sort} `;
    return joinedFew(context, prefix, `${parent} ${offset}`, most, async () => {
      const paths = [first, second].map((id) => snapshotOf(getState(), id)?.path ?? "") as [string, string];
      try {
        const page = await context.client.getCensusDiffRows(...paths, pageOptions(of, parent, offset));
        dispatch(a.diffingRowsCame({ first, second, of, page }));
      } catch (error) {
        dispatch(a.noticeChanged(errorText(error)));
      }
    });
  };
}

export function expandDiffingRow(node: RowId): Task {
  return async (dispatch, getState) => {
    if (!getState().diffing?.census?.report?.lists[node]) {
      await dispatch(fetchDiffingRows(node, 0, Infinity));
    }
    dispatch(a.expandDiffingCensusNode({ node }));
  };
}

/**
 * Which classes changed, object by object; or by groups again. @param chosen  the class that is chosen when they come: a table without one
 * chooses its first when it is given the focus.
 */
export function showClassDiff(isShown: boolean, sort = "", allowsOtherProcess = false, chosen: ClassChoice | null = null): Task {
  return async (dispatch, getState, { client }) => {
    const { firstSnapshotId: first, secondSnapshotId: second } = getState().diffing ?? {};
    if (!isShown || !first || !second) {
      dispatch(a.leaveClassDiff());
      return;
    }
    dispatch(a.takeClassDiffStart({ sort, allowsOtherProcess }));
    const [from, to] = [first, second].map((id) => snapshotOf(getState(), id)?.path ?? "") as [string, string];
    try {
      const { byClass = [], scripts, sameProcess: isOneProcess = true } = await client.getClassDiff(from, to);
      dispatch(a.takeClassDiffEnd({ first, second, rows: changedClasses(byClass, scripts), isOneProcess, chosen }));
    } catch (error) {
      dispatch(a.takeClassDiffError({ first, second, error: errorText(error) ?? "Comparing was cancelled." }));
    }
  };
}

/** Chooses a class; its objects are fetched once it stays chosen. */
export function chooseClass(key: string, side: ClassSide): Task<void> {
  return (dispatch, getState) => {
    const { rows, members } = getState().diffing?.byClass ?? {};
    const isChosen = members?.key === key && members.side === side && !members.error;
    if (!isChosen && rows?.some((row) => classKey(row) === key)) {
      dispatch(a.focusClassChange({ key, side }));
    }
  };
}

/** The objects of the chosen class that only one of the two has: those first that retain most. */
export function fetchClassMembers(): Task {
  return async (dispatch, getState, context) => {
    const { diffing, preferences } = getState();
    const { firstSnapshotId: first, secondSnapshotId: second, byClass } = diffing ?? {};
    const { key, side, nodes } = byClass?.members ?? {};
    const row = byClass?.rows?.find((one) => classKey(one) === key);
    if (!first || !second || !row || !key || !side || nodes) {
      return;
    }
    const of = { key, side, first, second };
    await joined(context, `members ${first} ${second} ${side} ${key}`, async () => {
      const paths = [first, second].map((id) => snapshotOf(getState(), id)?.path ?? "") as [string, string];
      try {
        const nodes = await context.client.getClassMembers(...paths, { row: row.number, side, maxIndividuals: preferences.maxIndividuals });
        dispatch(a.classMembersCame({ ...of, nodes }));
      } catch (error) {
        dispatch(a.classMembersError({ ...of, error: errorText(error) ?? "Looking was cancelled." }));
      }
    });
  };
}
