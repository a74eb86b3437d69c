// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { commandText, csvText, tableText } from "./commands";

it("commands are quoted for a shell", () => {
  const text = commandText("census", ["--filter", "it's a"], ["--breakdown", ""], ["--limit", 3], false, "my file.fxsnapshot");
  expect(text).toBe(`ubiheap census --filter 'it'\\''s a' --limit 3 'my file.fxsnapshot'`);
});

it("tables are CSV and text", () => {
  const rows = [
    ["name", "bytes"],
    ['a "b", c', 12],
    ["d", 1234],
  ];
  expect(csvText(rows)).toBe('name,bytes\r\n"a ""b"", c",12\r\nd,1234\r\n');
  expect(tableText(rows)).toBe('name      bytes\na "b", c     12\nd          1234\n');
});
