// SPDX-License-Identifier: MIT
import { classKey } from "../../logic/class_diff";
import * as a from "../actions";
import { DIFFING, newDiffing, VIEW, type ClassChoice, type ClassDiffModel, type ClassMembersModel, type DiffingModel } from "../models";
import { savedCensus, savingCensus, withExpanded, withFocused, withRows } from "./census";
import { pureReducer } from "./pure";

const isPair = (diffing: DiffingModel, { first, second }: { first: number; second: number }) =>
  diffing.firstSnapshotId === first && diffing.secondSnapshotId === second;

const withClasses = (diffing: DiffingModel | null, byClass: ClassDiffModel | null) => diffing && { ...diffing, byClass };

const membersOf = (chosen: ClassChoice): ClassMembersModel => ({ ...chosen, nodes: null, focused: null, error: null });

/** With what came of the objects of a class, unless others are looked at by now. */
function withMembers(
  diffing: DiffingModel | null,
  { key, side, ...pair }: { key: string; side: string; first: number; second: number },
  change: Partial<ClassMembersModel>,
) {
  const members = diffing?.byClass?.members;
  const isStill = diffing && isPair(diffing, pair) && members?.key === key && members.side === side;
  return isStill && diffing.byClass ? withClasses(diffing, { ...diffing.byClass, members: { ...members, ...change } }) : diffing;
}

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
    .addCase(a.takeClassDiffStart, (diffing, { payload }) =>
      withClasses(diffing, { ...payload, rows: null, isOneProcess: true, members: null, error: null }),
    )
    .addCase(a.takeClassDiffEnd, (diffing, { payload: { rows, isOneProcess, chosen, ...pair } }) => {
      const members = chosen && rows.some((row) => classKey(row) === chosen.key) ? membersOf(chosen) : null;
      return diffing?.byClass && isPair(diffing, pair)
        ? withClasses(diffing, { ...diffing.byClass, rows, isOneProcess, members, error: null })
        : diffing;
    })
    .addCase(a.takeClassDiffError, (diffing, { payload: { error, ...pair } }) => {
      return diffing?.byClass && isPair(diffing, pair) ? withClasses(diffing, { ...diffing.byClass, rows: null, error }) : diffing;
    })
    .addCase(a.allowOtherProcessInDiff, (diffing) => {
      return diffing?.byClass ? withClasses(diffing, { ...diffing.byClass, allowsOtherProcess: true }) : diffing;
    })
    .addCase(a.sortClassDiff, (diffing, { payload: sort }) => {
      return diffing?.byClass ? withClasses(diffing, { ...diffing.byClass, sort }) : diffing;
    })
    .addCase(a.focusClassChange, (diffing, { payload }) => {
      return diffing?.byClass ? withClasses(diffing, { ...diffing.byClass, members: membersOf(payload) }) : diffing;
    })
    .addCase(a.classMembersCame, (diffing, { payload: { nodes, ...of } }) => withMembers(diffing, of, { nodes, error: null }))
    .addCase(a.classMembersError, (diffing, { payload: { error, ...of } }) => withMembers(diffing, of, { error }))
    .addCase(a.focusClassMember, (diffing, { payload: focused }) => {
      const members = diffing?.byClass?.members;
      return diffing?.byClass && members ? withClasses(diffing, { ...diffing.byClass, members: { ...members, focused } }) : diffing;
    })
    .addCase(a.leaveClassDiff, (diffing) => withClasses(diffing, null))
    .addCase(a.deleteSnapshotsStart, (diffing, { payload: { ids } }) => {
      const isOurs = (id: number | null) => id !== null && ids.includes(id);
      return diffing && (isOurs(diffing.firstSnapshotId) || isOurs(diffing.secondSnapshotId)) ? newDiffing() : diffing;
    });
});
