// SPDX-License-Identifier: MIT
// What can go wrong between the page and its server.
import { NO_ANSWER } from "../logic/unanswered";
import type { Documents } from "../types/documents";

type ErrorDocument = Documents["ubiheap.error/1"];

/** What the server refused, with its words for people. */
export class ServerError extends Error {
  constructor(
    readonly code: number,
    readonly status: ErrorDocument["status"] | "unknown",
    message: string,
  ) {
    super(message);
    this.name = "ServerError";
  }
}

/** The server did not answer at all. */
export class ConnectionError extends Error {
  constructor() {
    super(NO_ANSWER);
    this.name = "ConnectionError";
  }
}

/** Whether somebody asked for it to stop. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || (error instanceof ServerError && error.status === "cancelled"));
}

/** The error that a response of the server is. */
export async function errorOf(response: { status: number; text(): Promise<string> }): Promise<ServerError> {
  const text = await response.text();
  try {
    const document = JSON.parse(text) as Partial<ErrorDocument>;
    if (document.schema === "ubiheap.error/1" && document.message) {
      return new ServerError(response.status, document.status ?? "unknown", document.message);
    }
  } catch {
    // It is not a document: a proxy, or the HTTP library answered.
  }
  return new ServerError(response.status, "unknown", `The server answered with code ${response.status}.`);
}
