// SPDX-License-Identifier: MIT
// Tasks about displays of one's own: trying one, keeping it, deleting it.
import { customDisplays } from "../../logic/displays";
import { breakdownOf, PREFERENCE_OF, withDisplay, withoutDisplay, type DisplayKind, type OwnDisplay } from "../../logic/own_displays";
import type { CensusDisplay } from "../../types/breakdown";
import type { Task } from "..";
import * as a from "../actions";
import { isCountable, type SnapshotId } from "../models";
import { selectedSnapshot, snapshotOf } from "../selectors";
import { errorText } from "./context";
import { readSnapshot } from "./views";

/** Rows of a trial. */
const TRIED_ROWS = 8;

/** The snapshot that displays are tried with: the selected, or the first that can be counted. */
function triedSnapshot(): Task<SnapshotId | null> {
  return (_dispatch, getState) => {
    const { snapshots } = getState();
    const selected = selectedSnapshot(getState());
    return (selected && isCountable(selected) ? selected : snapshots.find(isCountable))?.id ?? null;
  };
}

/** Counts with a breakdown, to see what it gives. A later trial takes the place of an earlier one. */
export function tryDisplay({ breakdown: text, inverted }: Omit<OwnDisplay, "name">): Task {
  return async (dispatch, getState, { client }) => {
    const { breakdown } = breakdownOf(text);
    const id = dispatch(triedSnapshot());
    if (!breakdown || id === null) {
      return;
    }
    const key = `${inverted} ${text}`;
    dispatch(a.trialStart({ key, id }));
    try {
      await dispatch(readSnapshot(id));
      const path = snapshotOf(getState(), id)?.path ?? "";
      const wanted = { breakdown, inverted, filter: null, parent: null, offset: 0, rows: TRIED_ROWS, sort: "" };
      dispatch(a.trialEnd({ key, page: await client.getCensusRows(path, wanted) }));
    } catch (error) {
      dispatch(a.trialError({ key, error: errorText(error) ?? "Counting was cancelled." }));
    }
  };
}

/** What is shown with a display of this name is shown with the new one from now on. */
function displayReplaced(kind: DisplayKind, display: CensusDisplay): Task<void> {
  return (dispatch, getState) => {
    const { censusDisplay, labelDisplay, treeMapDisplay } = getState();
    if (kind === "census" && censusDisplay.displayName === display.displayName) {
      dispatch(a.setCensusDisplay(display));
    } else if (kind === "label" && labelDisplay.displayName === display.displayName) {
      dispatch(a.setLabelDisplay(display));
    } else if (kind === "treeMap" && treeMapDisplay.displayName === display.displayName) {
      dispatch(a.setTreeMapDisplay(display));
    }
  };
}

export function saveDisplay(kind: DisplayKind, own: OwnDisplay): Task<void> {
  return (dispatch, getState) => {
    const text = withDisplay(getState().preferences[PREFERENCE_OF[kind]], own);
    dispatch(a.setPreference({ [PREFERENCE_OF[kind]]: text }));
    const display = customDisplays(text).displays[own.name.trim()];
    if (display) {
      dispatch(displayReplaced(kind, display));
    }
  };
}

export function deleteDisplay(kind: DisplayKind, name: string): Task<void> {
  return (dispatch, getState) => {
    dispatch(a.setPreference({ [PREFERENCE_OF[kind]]: withoutDisplay(getState().preferences[PREFERENCE_OF[kind]], name) }));
  };
}
