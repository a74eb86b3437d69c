// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { fileMark, heapOfWord, heapWords, isMarkOf } from "./heap_words";

const heap = (path: string, name: string, size = 1) => ({ path, name, size });

describe("what addresses call heaps", () => {
  it("is the file's name, whatever the order", () => {
    const [a, b] = [heap("h1", "a.heapsnapshot"), heap("h2", "b/c.fxsnapshot")];
    expect(heapWords([a, b])).toEqual({ h1: "a.heapsnapshot", h2: "b/c.fxsnapshot" });
    const turned = [heap("h1", "b/c.fxsnapshot"), heap("h2", "a.heapsnapshot")];
    expect(heapOfWord(turned, "a.heapsnapshot")).toBe("h2");
    expect(heapOfWord(turned, "d.heapsnapshot")).toBeNull();
    expect(heapOfWord(turned, "h1")).toBe("h1");
    expect(heapOfWord(turned, "h3")).toBeNull();
  });

  it("tells files of one name apart, and finds each again", () => {
    const heaps = [heap("h1", "a", 5), heap("h2", "a", 7), heap("h3", "a", 7), heap("h4", "b", 7)];
    const words = heapWords(heaps);
    expect(words).toEqual({ h1: "a~5", h2: "a~7", h3: "a~7~2", h4: "b" });
    expect(Object.values(words).map((word) => heapOfWord(heaps, word))).toEqual(["h1", "h2", "h3", "h4"]);
    expect(heapOfWord(heaps, "a")).toBe("h1");
    expect(heapOfWord([heap("h9", "a", 7)], "a~7")).toBe("h9");
    expect(heapOfWord([heap("h9", "a", 8)], "a~7")).toBeNull();
  });
});

it("marks distinguish files of one name as far as they are known", () => {
  const mark = fileMark(100, { nodeCount: 7, creationTimeUs: 5 });
  expect([fileMark(100, null), fileMark(100, { nodeCount: 7, creationTimeUs: null }), mark]).toEqual(["100", "100-7", "100-7-5"]);
  expect(["100", "100-7", "100-7-5"].map((one) => isMarkOf(one, mark))).toEqual([true, true, true]);
  expect(["101", "100-8", "100-7-6", "101-7-5"].map((one) => isMarkOf(one, mark))).toEqual([false, false, false, false]);
  expect(isMarkOf(mark, "100")).toBe(true);
});
