// SPDX-License-Identifier: MIT
// The store: pure reducers, and tasks, which get what has side effects as their third argument.
import { configureStore, type Action, type Middleware, type ThunkAction } from "@reduxjs/toolkit";
import type { HeapAnalysesClient } from "../api/HeapAnalysesClient";
import { rootReducer } from "./reducers/views";
import { newTaskContext, type TaskContext } from "./tasks/context";

export type State = ReturnType<typeof rootReducer>;
export type Task<Result = Promise<void>> = ThunkAction<Result, State, TaskContext, Action>;

/** @param onAction  gets the type of each action; for tests. */
export function makeStore(client: HeapAnalysesClient, preloaded?: Partial<State>, onAction?: (type: string) => void) {
  const listener: Middleware = () => (next) => (action) => {
    onAction?.((action as Action).type);
    return next(action);
  };
  return configureStore({
    reducer: rootReducer,
    // Reports are large and sets are no JSON: looking through them after every action takes long.
    middleware: (defaults) =>
      defaults({ thunk: { extraArgument: newTaskContext(client) }, serializableCheck: false, immutableCheck: false }).concat(listener),
    ...(preloaded ? { preloadedState: preloaded } : {}),
  });
}

export type Store = ReturnType<typeof makeStore>;
export type Dispatch = Store["dispatch"];
