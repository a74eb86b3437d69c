// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { frameParts, frameText, labelPieces, labelText, nodePieces, nodeText, rowNameText, shortNodeText } from "./names";

const frame = { source: "http://localhost:8123/lib/app.js", line: 12, column: 3, functionDisplayName: "load" };

describe("names of rows", () => {
  it("are words, frames, or labels such as (root)", () => {
    const names = [null, "noStack", "noFilename", "Array", frame].map(rowNameText);
    expect(names).toEqual(["(root)", "(no stack available)", "(no filename available)", "Array", "load @ app.js:12:3"]);
  });

  it("of frames have function, file, place and host", () => {
    expect(frameParts(frame)).toEqual({ functionName: "load", file: "app.js", place: "12:3", host: "localhost:8123" });
    expect(frameText({ source: "eval", line: 1, column: 9, functionDisplayName: null })).toBe("(anonymous) @ eval:1:9");
    expect(frameParts({ source: "", line: 0, column: 0, functionDisplayName: "" }).file).toBe("");
  });
});

describe("labels", () => {
  it("are pieces, with the youngest frame of a stack", () => {
    expect(labelText(["objects", "Array"])).toBe("objects › Array");
    expect(labelPieces([[frame, frame], "objects"])).toEqual([frame, "objects"]);
  });

  it("of the engine's roots are one word, and none is empty", () => {
    expect(labelText(["other", "JS::ubi::RootList"])).toBe("GC Roots");
    expect([labelText([]), labelText(null)]).toEqual(["(unknown)", "(unknown)"]);
  });
});

describe("what nodes are called", () => {
  it("is their label, unless they have a title", () => {
    expect([nodeText({ label: ["objects", "Array"] }), shortNodeText({ label: ["objects", "Array"] })]).toEqual([
      "objects › Array",
      "objects › Array",
    ]);
    const closure = { label: ["objects", "Function"], title: "add()" };
    expect([nodeText(closure), shortNodeText(closure)]).toEqual(["Function › add()", "add()"]);
  });

  it("says nothing twice, and keeps the stack of who labels by it", () => {
    expect(nodeText({ label: ["objects", "LeakedThing"], title: "LeakedThing" })).toBe("LeakedThing");
    expect(nodeText({ label: ["scripts", "(code)", "noFilename"], title: "(code)" })).toBe("(code)");
    expect(nodeText({ label: ["other", "synthetic"], title: "(GC roots)" })).toBe("(GC roots)");
    expect(nodeText({ label: ["Mine", "synthetic"], title: "(GC roots)" })).toBe("Mine › synthetic › (GC roots)");
    expect(nodeText({ label: null, title: "root" })).toBe("root");
    expect(nodePieces({ label: [[frame], "strings", "string"], title: '"a"' })).toEqual([frame, '"a"']);
  });
});
