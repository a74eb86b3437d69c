// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { exportFormats, exportName } from "./exports";

it("recordings and timelines are saved for other tools, heaps are not", () => {
  const words = (["heap", "recording", "timeline"] as const).map((kind) =>
    exportFormats(kind).map(({ question, format }) => `${question} ${format}`),
  );
  expect(words[0]).toEqual([]);
  expect(words[1]).toContain("export pprof");
  expect(words[2]).toEqual(["timeline firefox", "timeline chrome"]);
  expect(exportFormats("recording").map((format) => exportName("a.b.ubirec", format))).toContain("a.b.pb.gz");
});
