// SPDX-License-Identifier: MIT
// Saving what a recording or a timeline has, in formats of other tools.
import { exportName, type ExportFormat } from "../../logic/exports";
import type { Task } from "..";
import * as a from "../actions";
import type { SnapshotId } from "../models";
import { snapshotOf } from "../selectors";
import { namedError } from "./context";

/** @param save  gets the file, and what it is to be called. */
export function exportRecording(id: SnapshotId, format: ExportFormat, save: (file: Blob, name: string) => void): Task {
  return async (dispatch, getState, { client }) => {
    const { path, name } = snapshotOf(getState(), id) ?? {};
    if (!path || name === undefined) {
      return;
    }
    try {
      save(await client.getExport(path, format.question, format.format), exportName(name, format));
    } catch (error) {
      dispatch(a.noticeChanged(namedError(name, error)));
    }
  };
}
