// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { drawingOf, edgeLine, firstPlace, LABEL_HEIGHT, NODE_HEIGHT, NODE_WIDTH, pathsText, type Drawing } from "./path_graph";

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

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
  what: string;
}

/** Names that lie over another name or a node. */
function overlapping({ nodes, edges, width, height }: Drawing): string[] {
  const labels = edges.map(({ label, text }): Area => {
    return { x: label.x - label.width / 2, y: label.y - LABEL_HEIGHT / 2, width: label.width, height: LABEL_HEIGHT, what: text };
  });
  const areas = [...labels, ...nodes.map(({ x, y, name }): Area => ({ x, y, width: NODE_WIDTH, height: NODE_HEIGHT, what: name }))];
  const isOver = (a: Area, b: Area) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  const outside = areas.filter((a) => a.x < 0 || a.y < 0 || a.x + a.width > width || a.y + a.height > height);
  return [...labels.filter((label) => areas.some((other) => other !== label && isOver(label, other))), ...outside].map(({ what }) => what);
}

describe("retaining paths", () => {
  it("are put so that all is seen, or at least the target", () => {
    for (const isDown of [false, true]) {
      const drawing = drawingOf(graph, isDown);
      expect(firstPlace(drawing, { width: 4000, height: 4000 })).toEqual({ x: 20, y: 20, scale: 1 });
      const target = drawing.nodes.find((node) => node.isTarget)!;
      for (const view of [
        { width: 300, height: 210 },
        { width: 210, height: 120 },
      ]) {
        const { x, y, scale } = firstPlace(drawing, view);
        expect(scale).toBeGreaterThanOrEqual(0.6);
        expect(x + (target.x + NODE_WIDTH) * scale).toBeLessThanOrEqual(view.width);
        expect(y + (target.y + NODE_HEIGHT) * scale).toBeLessThanOrEqual(view.height);
        expect(x + target.x * scale).toBeGreaterThanOrEqual(0);
        expect(y + target.y * scale).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it("are drawn from the root at the left to the target at the right, beside each other", () => {
    const { nodes, edges, width, height } = drawingOf(graph, false);
    const place = new Map(nodes.map((node) => [node.id, node]));
    const x = (id: number) => place.get(id)?.x ?? NaN;
    expect(x(1)).toBe(0);
    expect(x(10)).toBe(x(11));
    expect(x(50)).toBeGreaterThan(x(10));
    expect(Math.abs((place.get(10)?.y ?? 0) - (place.get(11)?.y ?? 0))).toBeGreaterThanOrEqual(NODE_HEIGHT);
    expect(edges.map((edge) => edge.text)).toEqual(["x", "y", "z", "", "w"]);
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

  it("have each name at a place of its own, also where many edges lead to one node", () => {
    const many = {
      nodes: [50, 1, ...Array.from({ length: 9 }, (_, at) => 10 + at)].map((id) => ({ id, name: `${id}` })),
      edges: [] as { from: number; to: number; name: string }[],
    };
    for (let id = 10; id < 19; id++) {
      many.edges.push({ from: 1, to: id, name: `in the hash table ${id}` }, { from: id, to: 50, name: "a name that is longer than fits" });
    }
    many.edges.push({ from: 1, to: 50, name: "one" }, { from: 1, to: 50, name: "two" });
    for (const isDown of [false, true]) {
      const drawing = drawingOf(many, isDown);
      expect(overlapping(drawing)).toEqual([]);
      for (const edge of drawing.edges) {
        expect(edgeLine(edge, isDown)).toContain(`${edge.label.y}`);
      }
    }
  });

  it("have names that are cut where they are long, letters of two columns too", () => {
    const named = (name: string) => drawingOf({ nodes: graph.nodes.slice(0, 2), edges: [{ from: 1, to: 50, name }] }, true).edges[0];
    expect(named("a".repeat(24))?.text).toBe("a".repeat(24));
    expect(named("a".repeat(25))?.text).toBe(`${"a".repeat(23)}…`);
    expect(named("記憶".repeat(20))?.text).toBe(`${"記憶".repeat(5)}記…`);
    expect(named("😀")).toMatchObject({ text: "😀", label: { width: 14 } });
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
