// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import type { PathGraph } from "../types/heap";
import { foldedPaths, foldsOf, moreWords, withMore, withRests, type ShownMore } from "./path_fold";
import { drawingOf, pathsText } from "./path_graph";

const NONE: ShownMore = new Map();

/** A list of `n` links from the root, which is 1, to the target, which is 0; its links are 2 and more. */
function list(n: number): PathGraph {
  const way = [1, ...Array.from({ length: n }, (_, at) => at + 2), 0];
  return {
    nodes: way.reverse().map((id) => ({ id, name: id === 0 ? "target" : id === 1 ? "root" : "Link" })),
    edges: way.slice(1).map((from, at) => ({ from, to: way[at] as number, name: "next" })),
  };
}

describe("long retaining paths", () => {
  it("are drawn by their first and last nodes, and one that says how many are between", () => {
    const folded = foldedPaths(list(60_000), NONE);
    expect(folded.nodes).toHaveLength(63);
    expect(folded.edges).toHaveLength(62);
    expect(folded.nodes[0]).toEqual({ id: 0, name: "target" });
    expect(foldsOf(folded)).toEqual([{ key: 2, count: 59_940, like: "Link.next × 59 940" }]);
    expect(
      drawingOf(folded, false)
        .nodes.filter(({ fold }) => fold)
        .map(({ name }) => name),
    ).toEqual(["… 59 940 more"]);
    expect(pathsText(folded)).toContain("Link —next→ … 59 940 more (Link.next × 59 940) —next→ Link");
    expect(pathsText(folded).startsWith("root —next→ Link —next→")).toBe(true);
  });

  it("are shown step by step, until all is", () => {
    const graph = list(100);
    let more = NONE;
    const counts: number[] = [];
    for (let folds = foldsOf(foldedPaths(graph, more)); folds.length > 0; folds = foldsOf(foldedPaths(graph, more))) {
      counts.push(folds[0]?.count ?? 0);
      expect(moreWords(folds)).toBe(counts.length === 1 ? "Show 20 of 40 more" : "Show 20 more");
      more = withMore(more, folds);
    }
    expect(counts).toEqual([40, 20]);
    expect(foldedPaths(graph, more).nodes).toHaveLength(102);
    expect(foldedPaths(graph, more).edges).toHaveLength(101);
  });

  it("of which the server has left out the middle are counted whole, and shown as far as they are here", () => {
    const graph = list(100);
    const gap = { from: 51, to: 52, name: null, leftOut: 58_000 };
    const some = withRests(
      graph.nodes,
      graph.edges.map((edge) => (edge.from === 51 ? gap : edge)),
    );
    expect(foldsOf(foldedPaths(some, NONE))).toEqual([{ key: 2, count: 58_040, like: "Link.next × 40 and 58 000 others" }]);
    let more = NONE;
    for (let folds = foldsOf(foldedPaths(some, more)); folds.length > 0; folds = foldsOf(foldedPaths(some, more))) {
      more = withMore(more, folds);
    }
    const shown = foldedPaths(some, more);
    expect(shown.nodes).toHaveLength(103);
    expect(shown.nodes.filter(({ fold }) => fold).map(({ name }) => name)).toEqual(["… 58 000 more"]);
    expect(pathsText(shown)).toContain("Link —→ … 58 000 more —→ Link —next→");
    const short = withRests(graph.nodes.slice(0, 2), [{ from: graph.nodes[1]!.id, to: 0, name: null, leftOut: 7 }]);
    expect(foldedPaths(short, NONE).nodes[2]?.fold).toEqual({ key: short.nodes[2]?.id, count: 7, like: "", isLeftOut: true });
  });

  it("stay as they are where they are short, and share the room where there are several", () => {
    expect(foldedPaths(list(40), NONE)).toEqual(list(40));
    const [one, other] = [list(100), list(100)];
    const moved = (id: number | string) => (Number(id) > 1 ? Number(id) + 1000 : id);
    const both = {
      nodes: [...one.nodes, ...other.nodes.slice(1, -1).map(({ id, name }) => ({ id: moved(id), name }))],
      edges: [...one.edges, ...other.edges.map(({ from, to, name }) => ({ from: moved(from), to: moved(to), name }))],
    };
    const folded = foldedPaths(both, NONE);
    expect(foldsOf(folded).map(({ count }) => count)).toEqual([70, 70]);
    expect(pathsText(folded).split("\n")).toHaveLength(2);
  });

  it("end where they lead in a circle", () => {
    const { nodes, edges } = list(100);
    const circle = { nodes, edges: [...edges, { from: 50, to: 20, name: "back" }, { from: 0, to: 1, name: "again" }] };
    expect(pathsText(foldedPaths(circle, NONE))).toContain("target");
  });
});
