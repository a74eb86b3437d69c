// SPDX-License-Identifier: MIT
// What fails because the server does not answer: that says nothing of a snapshot, and is tried again once the server does.

export const NO_ANSWER = "The server does not answer.";

export function isUnanswered(error: string | null | undefined): boolean {
  return error === NO_ANSWER;
}
