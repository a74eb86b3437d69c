// SPDX-License-Identifier: MIT
// What tasks have besides the store.
import type { HeapAnalysesClient } from "../../api/HeapAnalysesClient";
import { isAbort } from "../../api/errors";
import { isUnanswered } from "../../logic/unanswered";
import type { SnapshotId } from "../models";

export interface TaskContext {
  client: HeapAnalysesClient;
  /** Which server the page is of; null until it is known. */
  server: string | null;
  /** Tasks that run, by their keys. */
  running: Map<string, Promise<void>>;
  /** How to end what runs for a snapshot. */
  cancels: Map<SnapshotId, AbortController>;
  /** Snapshots that are being imported or saved: what the server opens meanwhile may be theirs. */
  arriving: Set<SnapshotId>;
}

export function newTaskContext(client: HeapAnalysesClient): TaskContext {
  return { client, server: null, running: new Map(), cancels: new Map(), arriving: new Set() };
}

/** Runs a task, unless one of this key runs already: then that one's end is this one's, too. */
export function joined(context: TaskContext, key: string, task: () => Promise<void>): Promise<void> {
  const running = context.running.get(key);
  if (running) {
    return running;
  }
  const promise = task().finally(() => context.running.delete(key));
  context.running.set(key, promise);
  return promise;
}

/**
 * The same, unless `most` tasks run whose keys begin alike: then nothing is done. For what is asked for again, as it then is, when one of
 * them has ended: rows of a table that is being scrolled.
 */
export function joinedFew(context: TaskContext, prefix: string, key: string, most: number, task: () => Promise<void>): Promise<void> {
  const count = [...context.running.keys()].filter((other) => other.startsWith(prefix)).length;
  return count < most ? joined(context, prefix + key, task) : Promise.resolve();
}

/** What ends all that runs for a snapshot. */
export function cancelOf(context: TaskContext, id: SnapshotId): AbortController {
  const known = context.cancels.get(id);
  if (known && !known.signal.aborted) {
    return known;
  }
  const fresh = new AbortController();
  context.cancels.set(id, fresh);
  return fresh;
}

/** An error in words, without the name of the client's task; null: somebody wanted it to end. */
export function errorText(error: unknown): string | null {
  if (isAbort(error)) {
    return null;
  }
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^Error while performing task "[^"]*": /, "");
}

/** The same, and which file it is about, where the words do not say that. */
export function namedError(name: string | undefined, error: unknown): string | null {
  const text = errorText(error);
  return text === null || !name || text.includes(name) || isUnanswered(text) ? text : `${name}: ${text}`;
}
