// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { plainText } from "./plain_text";

it("what turns text, or shows nothing, is written in digits, as the commands write it", () => {
  expect(plainText("rtl \u202e lone \ud83d wide 日本")).toBe("rtl \\u202e lone \\ud83d wide 日本");
  expect(plainText("\x1b]0;owned\x07\x7f\x9b31m")).toBe("\\x1b]0;owned\\x07\\x7f\\x9b31m");
  expect(plainText("a\u{e0041}b")).toBe("a\\u{e0041}b");
  expect(plainText("a\u2066b\u200fc\ufeffd\u061c")).toBe("a\\u2066b\\u200fc\\ufeffd\\u061c");
});

it("all else stays: lines, tabs, whole characters of any script", () => {
  const text = "café\t日本\n😀 שלום … › “x”\u00a0";
  expect(plainText(text)).toBe(text);
});
