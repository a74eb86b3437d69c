// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { drawingOf, NODE_HEIGHT, NODE_WIDTH, pathsText } from "./path_graph";

const graph = {
  nodes: [
    { id: 50, name: "target" },
    { id: 1, name: "root" },
    { id: 10, name: "a" },
    { id: 11, name: "b" },
  ],
  edges: [
    { from: 1, to: 10, name: "x" },
    { from: 1, to: 11, name: "y" },
    { from: 10, to: 50, name: "z" },
    { from: 11, to: 50, name: null },
    { from: 11, to: 50, name: "w" },
  ],
};

describe("retaining paths", () => {
  it("are drawn from the root at the left to the target at the right, beside each other", () => {
    const { nodes, edges, width, height } = drawingOf(graph, false);
    const place = new Map(nodes.map((node) => [node.id, node]));
    const x = (id: number) => place.get(id)?.x ?? NaN;
    expect(x(1)).toBe(0);
    expect(x(10)).toBe(x(11));
    expect(x(50)).toBeGreaterThan(x(10));
    expect(Math.abs((place.get(10)?.y ?? 0) - (place.get(11)?.y ?? 0))).toBeGreaterThanOrEqual(NODE_HEIGHT);
    expect(edges.map((edge) => edge.index)).toEqual([0, 0, 0, 0, 1]);
    expect(Math.max(...nodes.map((node) => node.y))).toBeLessThanOrEqual(height - NODE_HEIGHT);
    expect(width).toBeGreaterThan(x(50));
  });

  it("are drawn from the top down, too", () => {
    const { nodes, width, height } = drawingOf(graph, true);
    const place = new Map(nodes.map((node) => [node.id, node]));
    const y = (id: number) => place.get(id)?.y ?? NaN;
    expect([y(1), y(10) === y(11), y(50) > y(10), height > y(50)]).toEqual([0, true, true, true]);
    expect(Math.abs((place.get(10)?.x ?? 0) - (place.get(11)?.x ?? 0))).toBeGreaterThanOrEqual(NODE_WIDTH);
    expect(width).toBeGreaterThan(2 * NODE_WIDTH);
  });

  it("have the target at the end, also where a longer way leads to it", () => {
    const way = { nodes: [50, 1, 10, 20].map((id) => ({ id, name: "" })), edges: [] as { from: number; to: number; name: null }[] };
    for (const [from, to] of [
      [1, 50],
      [1, 10],
      [10, 20],
      [20, 50],
    ] as const) {
      way.edges.push({ from, to, name: null });
    }
    const { nodes } = drawingOf(way, true);
    const target = nodes.find((node) => node.isTarget);
    expect(nodes.filter((node) => node !== target && node.y >= (target?.y ?? 0))).toEqual([]);
  });

  it("are one node for the root itself, and cycles end", () => {
    expect(drawingOf({ nodes: [{ id: 1, name: "root" }], edges: [] }, true).nodes).toHaveLength(1);
    const cycle = { nodes: [{ id: 1, name: "a" }], edges: [{ from: 1, to: 1, name: "self" }] };
    expect(drawingOf(cycle, false).edges).toHaveLength(1);
    expect(pathsText(cycle)).toBe("a");
  });

  it("are lines of text", () => {
    expect(pathsText(graph)).toBe("root —x→ a —z→ target\nroot —y→ b —→ target\nroot —y→ b —w→ target");
    expect(pathsText({ nodes: [], edges: [] })).toBe("");
  });
});
