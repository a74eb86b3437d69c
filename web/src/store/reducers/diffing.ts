// SPDX-License-Identifier: MIT
import * as a from "../actions";
import { DIFFING, newDiffing, VIEW, type ClassDiffModel, type DiffingModel } from "../models";
import { savedCensus, savingCensus, withExpanded, withFocused, withRows } from "./census";
import { pureReducer } from "./pure";

const isPair = (diffing: DiffingModel, { first, second }: { first: number; second: number }) =>
  diffing.firstSnapshotId === first && diffing.secondSnapshotId === second;

const withClasses = (diffing: DiffingModel | null, byClass: ClassDiffModel | null) => diffing && { ...diffing, byClass };

/** null unless two snapshots are compared, or chosen for it. */
export const diffingReducer = pureReducer<DiffingModel | null>(null, (builder) => {
  builder
    .addCase(a.changeView, (_, { payload }) => (payload.newViewState === VIEW.DIFFING ? newDiffing() : null))
    .addCase(a.popView, (_, { payload: { previousView } }) => (previousView.state === VIEW.DIFFING ? previousView.diffing : null))
    .addCase(a.selectSnapshotForDiffing, (diffing, { payload: { id } }) => {
      if (!diffing || diffing.state !== DIFFING.SELECTING || diffing.firstSnapshotId === id) {
        return diffing;
      }
      return diffing.firstSnapshotId === null ? { ...diffing, firstSnapshotId: id } : { ...diffing, secondSnapshotId: id };
    })
    .addCase(a.takeCensusDiffStart, (diffing, { payload }) => {
      return diffing && isPair(diffing, payload)
        ? { ...diffing, state: DIFFING.TAKING_DIFF, census: savingCensus(payload), error: null }
        : diffing;
    })
    .addCase(a.takeCensusDiffEnd, (diffing, { payload: { first, second, ...of } }) => {
      return diffing && isPair(diffing, { first, second }) ? { ...diffing, state: DIFFING.TOOK_DIFF, census: savedCensus(of) } : diffing;
    })
    .addCase(a.diffingError, (diffing, { payload }) => diffing && { ...newDiffing(), state: DIFFING.ERROR, error: payload.error })
    .addCase(a.diffingRowsCame, (diffing, { payload }) => {
      return diffing && isPair(diffing, payload) ? { ...diffing, census: withRows(diffing.census, payload.of, payload.page) } : diffing;
    })
    .addCase(a.expandDiffingCensusNode, (diffing, { payload }) => {
      return diffing && { ...diffing, census: withExpanded(diffing.census, payload.node, true) };
    })
    .addCase(a.collapseDiffingCensusNode, (diffing, { payload }) => {
      return diffing && { ...diffing, census: withExpanded(diffing.census, payload.node, false) };
    })
    .addCase(
      a.focusDiffingCensusNode,
      (diffing, { payload }) => diffing && { ...diffing, census: withFocused(diffing.census, payload.node) },
    )
    .addCase(a.takeClassDiffStart, (diffing) => withClasses(diffing, { rows: null, focused: -1, error: null }))
    .addCase(a.takeClassDiffEnd, (diffing, { payload: { rows, ...pair } }) => {
      return diffing?.byClass && isPair(diffing, pair) ? withClasses(diffing, { rows, focused: -1, error: null }) : diffing;
    })
    .addCase(a.takeClassDiffError, (diffing, { payload: { error, ...pair } }) => {
      return diffing?.byClass && isPair(diffing, pair) ? withClasses(diffing, { rows: null, focused: -1, error }) : diffing;
    })
    .addCase(a.focusClassChange, (diffing, { payload }) => {
      return diffing?.byClass ? withClasses(diffing, { ...diffing.byClass, focused: payload }) : diffing;
    })
    .addCase(a.leaveClassDiff, (diffing) => withClasses(diffing, null))
    .addCase(a.deleteSnapshotsStart, (diffing, { payload: { ids } }) => {
      const isOurs = (id: number | null) => id !== null && ids.includes(id);
      return diffing && (isOurs(diffing.firstSnapshotId) || isOurs(diffing.secondSnapshotId)) ? newDiffing() : diffing;
    });
});
