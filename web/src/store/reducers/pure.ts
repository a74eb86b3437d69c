// SPDX-License-Identifier: MIT
// Reducers that return a new state. Those of Redux Toolkit look at every part that they pass through, which is slow where a part is large.
import type { PayloadAction, Reducer } from "@reduxjs/toolkit";

interface ActionCreator<Payload> {
  type: string;
  match(action: unknown): action is PayloadAction<Payload>;
}

/** What a state becomes by an action. */
type Change<State, Payload> = (state: State, action: { payload: Payload }) => State;

export interface Cases<State> {
  addCase<Payload>(creator: ActionCreator<Payload>, change: Change<State, Payload>): Cases<State>;
}

export function pureReducer<State>(initial: State, build: (cases: Cases<State>) => void): Reducer<State> {
  const changes = new Map<string, Change<State, never>>();
  const cases: Cases<State> = {
    addCase(creator, change) {
      changes.set(creator.type, change as Change<State, never>);
      return cases;
    },
  };
  build(cases);
  return (state = initial, action) => {
    const change = changes.get(action.type);
    return change ? change(state, action as never) : state;
  };
}
