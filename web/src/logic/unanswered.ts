// SPDX-License-Identifier: MIT
// What fails and can be tried again: because the server does not answer, which says nothing of a snapshot, or because a file has changed.

export const NO_ANSWER = "The server does not answer.";

/** The name of the file that an error says has been overwritten; null: it says something else. */
export function overwrittenName(error: string | null): string | null {
  return /(?:^|: )([^:]+?) has changed since it was opened/.exec(error ?? "")?.[1] ?? null;
}

export function isUnanswered(error: string | null | undefined): boolean {
  return error === NO_ANSWER;
}
