// SPDX-License-Identifier: MIT
// What addresses call open heaps: by their files' names, which stay when a server is started again, in whatever order it opens them.
import type { Bytes, HeapPath } from "../types/heap";

export interface NamedHeap {
  path: HeapPath;
  name: string;
  /** Bytes of its file. */
  size: Bytes;
}

/** Where several heaps have a name, the bytes of the file are behind it, and where that is no difference, which of them it is. */
export function heapWords(heaps: readonly NamedHeap[]): Record<HeapPath, string> {
  const words: Record<HeapPath, string> = {};
  for (const { path, name, size } of heaps) {
    const named = heaps.filter((other) => other.name === name);
    const sized = named.filter((other) => other.size === size);
    const place = sized.findIndex((other) => other.path === path);
    words[path] = named.length < 2 ? name : sized.length < 2 || place === 0 ? `${name}~${size}` : `${name}~${size}~${place + 1}`;
  }
  return words;
}

/** What distinguishes a file from others of its name: its bytes; once it is read its nodes, and when it was made, if that is known. */
export function fileMark(size: Bytes, info: { nodeCount: number; creationTimeUs: number | null } | null): string {
  return [size, info?.nodeCount, info?.creationTimeUs].filter((one) => one !== null && one !== undefined).join("-");
}

/** Whether two marks may be of one file: one that is not read yet has fewer parts. */
export function isMarkOf(mark: string, other: string): boolean {
  const parts = other.split("-");
  return mark.split("-").every((part, at) => parts[at] === undefined || parts[at] === part);
}

/** Ids of servers, which older addresses have: the same id may be another heap of another server. */
const ID = /^h\d+$/;

/** The heap that a word means; null: none that is open. A name that several have means the first. */
export function heapOfWord(heaps: readonly NamedHeap[], word: string): HeapPath | null {
  const words = heapWords(heaps);
  const found =
    heaps.find(({ path }) => words[path] === word) ?? heaps.find(({ name, size }) => word === name || word === `${name}~${size}`);
  return found?.path ?? (ID.test(word) ? (heaps.find(({ path }) => path === word)?.path ?? null) : null);
}
