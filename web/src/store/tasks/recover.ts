// SPDX-License-Identifier: MIT
// What is done when the server answers again.
import { isUnanswered } from "../../logic/unanswered";
import type { Task } from "..";
import * as a from "../actions";
import { chooseClass, showClassDiff } from "./diffing";
import { openObject } from "./dominators";
import { findLeaks } from "./leaks";
import { fetchPaths } from "./paths";
import { refresh } from "./views";

/** Forgets what failed because the server did not answer, and asks again for what is shown. */
export function recover(): Task {
  return async (dispatch, getState) => {
    dispatch(a.forgetUnanswered());
    await dispatch(refresh());
    const { diffing, leaks, objects, paths } = getState();
    const object = objects.open.find((one) => one.nodeId === objects.shown && isUnanswered(one.error));
    const { byClass } = diffing ?? {};
    const { members } = byClass ?? {};
    if (object) {
      await dispatch(openObject(object.id, object.nodeId));
    }
    if (paths && isUnanswered(paths.error)) {
      await dispatch(fetchPaths(paths.id, paths.nodeId));
    }
    if (byClass && isUnanswered(byClass.error)) {
      await dispatch(showClassDiff(true, byClass.sort, byClass.allowsOtherProcess));
    }
    if (members && isUnanswered(members.error)) {
      dispatch(chooseClass(members.key, members.side));
    }
    if (leaks && isUnanswered(leaks.error)) {
      await dispatch(findLeaks());
    }
  };
}
