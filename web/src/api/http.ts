// SPDX-License-Identifier: MIT
// Requests to the server, jobs that say how far they are, and uploads. Only the classes of this folder use it.
import type { Documents } from "../types/documents";
import { ConnectionError, errorOf, ServerError } from "./errors";

/** How far something is: what is done in words, and its part, 0 to 1, where it is known. */
export interface Progress {
  stage: string;
  fraction?: number;
}

export interface AskOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

type Job = Documents["ubiheap.job/1"];

/** A value of the query, or several of one name. What is undefined, null or false is left out. */
export type Query = Record<string, string | number | boolean | object | null | undefined>;

function queryText(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== false) {
      pairs.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
  }
  const text = pairs.toString();
  return text && `?${text}`;
}

export class Http {
  /** @param base  "" in the page, whose browser has the token as a cookie; else the server's address, with the `token`. */
  constructor(
    private readonly base = "",
    private readonly token = "",
    /** Called when the server does not answer. */
    private readonly onLost: () => void = () => undefined,
  ) {}

  address(path: string, query: Query = {}): string {
    return `${this.base}${path}${queryText(query)}`;
  }

  /** The response, whatever its code is. Fails only where there is none. */
  private async fetched(path: string, init: RequestInit): Promise<Response> {
    const headers = this.token ? { Authorization: `Bearer ${this.token}`, ...init.headers } : init.headers;
    try {
      return await fetch(`${this.base}${path}`, { ...init, ...(headers ? { headers } : {}) });
    } catch (error) {
      if (init.signal?.aborted) {
        throw error;
      }
      throw this.lost();
    }
  }

  private lost(): ConnectionError {
    this.onLost();
    return new ConnectionError();
  }

  private async answered(path: string, init: RequestInit): Promise<Response> {
    const response = await this.fetched(path, init);
    if (!response.ok) {
      throw await errorOf(response);
    }
    return response;
  }

  /** The document of a path. */
  async get<Schema extends keyof Documents>(path: string, query: Query = {}, options: AskOptions = {}): Promise<Documents[Schema]> {
    const init = options.signal ? { signal: options.signal } : {};
    return (await this.answered(path + queryText(query), init)).json() as Promise<Documents[Schema]>;
  }

  /** The same, of what is answered at once: a server that takes longer than `most` milliseconds is lost. */
  async heartbeat<Schema extends keyof Documents>(path: string, most: number): Promise<Documents[Schema]> {
    const signal = AbortSignal.timeout(most);
    try {
      return await this.get<Schema>(path, {}, { signal });
    } catch (error) {
      throw signal.aborted ? this.lost() : error;
    }
  }

  /** The text of a path. */
  async text(path: string, query: Query = {}, options: AskOptions = {}): Promise<string> {
    const init = options.signal ? { signal: options.signal } : {};
    return (await this.answered(path + queryText(query), init)).text();
  }

  /** The document of a request that has a JSON body, or none. */
  async send<Schema extends keyof Documents>(
    method: "POST" | "PUT",
    path: string,
    body: object | null,
    query: Query = {},
  ): Promise<Documents[Schema]> {
    const text = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    return (await this.answered(path + queryText(query), { method, ...text })).json() as Promise<Documents[Schema]>;
  }

  /** What a question with a format of its own answers to, as bytes. */
  async file(path: string, body: object, query: Query): Promise<Blob> {
    const headers = { "Content-Type": "application/json" };
    return (await this.answered(path + queryText(query), { method: "POST", body: JSON.stringify(body), headers })).blob();
  }

  async delete(path: string): Promise<void> {
    await this.answered(path, { method: "DELETE" });
  }

  /** The document of something that may take long: a job, which says how far it is. It is cancelled when the caller gives up. */
  async ask<Schema extends keyof Documents>(path: string, query: Query = {}, options: AskOptions = {}): Promise<Documents[Schema]> {
    return this.finish<Schema>(await this.get<"ubiheap.job/1">(path, { ...query, async: true }, options), options);
  }

  /** The document of a job that runs. */
  async finish<Schema extends keyof Documents>(job: Job, options: AskOptions): Promise<Documents[Schema]> {
    const giveUp = () => void this.delete(job.self).catch(() => undefined);
    options.signal?.addEventListener("abort", giveUp);
    try {
      await this.watch(job, options);
      return await this.get<Schema>(job.answer, {}, options);
    } finally {
      options.signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Until the job is over. */
  private async watch(job: Job, options: AskOptions): Promise<void> {
    const response = await this.answered(job.events, options.signal ? { signal: options.signal } : {});
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; reader; ) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw options.signal?.aborted ? error : this.lost(); // the server has gone in the middle
      });
      if (done) {
        return;
      }
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((text) => text.startsWith("data: "))) {
        const state = JSON.parse(line.slice(6)) as Job;
        options.onProgress?.({
          stage: state.stage ?? state.state,
          ...(state.fraction === undefined ? {} : { fraction: state.fraction }),
        });
      }
    }
  }

  /** Sends a file. Browsers say how much of it is gone only in this old way. */
  upload(file: Blob, name: string, options: AskOptions = {}): Promise<Documents["ubiheap.heap/1"]> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", this.address("/api/1/heaps", { name }));
      request.upload.onprogress = ({ loaded, total }) =>
        options.onProgress?.({ stage: "sending the file", fraction: loaded / (total || 1) });
      // What is sent as a whole is opened by the server: the caller gets it even if it is not wanted any more, and can delete it.
      let isSent = false;
      request.upload.onload = () => (isSent = true);
      request.onload = () => {
        if (request.status === 201) {
          resolve(JSON.parse(request.responseText) as Documents["ubiheap.heap/1"]);
        } else {
          void errorOf({ status: request.status, text: () => Promise.resolve(request.responseText) }).then(reject);
        }
      };
      request.onerror = () => reject(this.lost());
      request.onabort = () => reject(new ServerError(0, "cancelled", "The import was cancelled."));
      options.signal?.addEventListener("abort", () => !isSent && request.abort());
      request.send(file);
    });
  }
}
