// SPDX-License-Identifier: MIT
import * as a from "../actions";
import { LEAKS, newLeaks, VIEW, type LeaksModel } from "../models";
import { pureReducer } from "./pure";

const isSame = (ids: readonly number[], others: readonly number[]) => ids.join() === others.join();

/** null unless leaks are looked for, or snapshots are chosen for it. */
export const leaksReducer = pureReducer<LeaksModel | null>(null, (builder) => {
  builder
    .addCase(a.changeView, (_, { payload }) => (payload.newViewState === VIEW.LEAKS ? newLeaks() : null))
    .addCase(a.popView, () => null)
    .addCase(a.chooseForLeaks, (leaks, { payload: { ids } }) => leaks && { ...newLeaks(), ids })
    .addCase(a.findLeaksStart, (leaks, { payload }) => {
      return leaks && { ...leaks, ...payload, state: LEAKS.FINDING, progress: null, report: null, error: null };
    })
    .addCase(a.leaksProgress, (leaks, { payload: { progress } }) => (leaks?.state === LEAKS.FINDING ? { ...leaks, progress } : leaks))
    .addCase(a.findLeaksEnd, (leaks, { payload: { ids, ordered, report } }) => {
      return leaks && isSame(leaks.ids, ids) ? { ...leaks, state: LEAKS.FOUND, ids: ordered, report } : leaks;
    })
    .addCase(a.leaksError, (leaks, { payload: { ids, error } }) => {
      return leaks && isSame(leaks.ids, ids) ? { ...leaks, state: LEAKS.ERROR, error } : leaks;
    })
    .addCase(a.deleteSnapshotsStart, (leaks, { payload }) => (leaks?.ids.some((id) => payload.ids.includes(id)) ? newLeaks() : leaks));
});
