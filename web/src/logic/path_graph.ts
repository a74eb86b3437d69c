// SPDX-License-Identifier: MIT
// Where the nodes of retaining paths are drawn: the root at the left or the top, the target at the other end, in lines by how far they are
// from the root.
import type { NodeId, PathGraph } from "../types/heap";

export interface DrawnNode {
  id: NodeId;
  name: string;
  x: number;
  y: number;
  isTarget: boolean;
}

export interface DrawnEdge {
  from: DrawnNode;
  to: DrawnNode;
  name: string;
  /** Of several between the same two nodes, which. */
  index: number;
}

export interface Drawing {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 170;
export const NODE_HEIGHT = 40;
/** Between what is in two levels: there the names of edges are; and between what is beside each other. */
const GAPS = { across: { level: 130, sibling: 26 }, down: { level: 48, sibling: 90 } };

/** How many edges lead to each node from those that nothing leads to. */
function distances({ nodes, edges }: PathGraph): Map<NodeId, number> {
  const next = new Map<NodeId, NodeId[]>();
  const reached = new Set(edges.map(({ to }) => to));
  for (const { from, to } of edges) {
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const found = new Map<NodeId, number>();
  let level = nodes.filter(({ id }) => !reached.has(id)).map(({ id }) => id);
  for (let distance = 0; level.length > 0; distance++) {
    level.forEach((id) => found.set(id, distance));
    level = [...new Set(level.flatMap((id) => next.get(id) ?? []))].filter((id) => !found.has(id));
  }
  return found;
}

/** Lengths of a level and of a place in it, in the direction that levels follow each other. */
function stepsOf(isDown: boolean) {
  const { level, sibling } = isDown ? GAPS.down : GAPS.across;
  const [along, beside] = isDown ? [NODE_HEIGHT, NODE_WIDTH] : [NODE_WIDTH, NODE_HEIGHT];
  return { level: along + level, sibling: beside + sibling, levelGap: level, siblingGap: sibling };
}

/** @param isDown  levels are below each other, not beside. */
export function drawingOf(graph: PathGraph, isDown: boolean): Drawing {
  const far = distances(graph);
  const target = graph.nodes[0]?.id;
  // The target has a level of its own: nothing on its paths is beside it.
  const others = graph.nodes.slice(1).map(({ id }) => far.get(id) ?? 0);
  const last = others.length > 0 ? Math.max(...others) + 1 : 0;
  const step = stepsOf(isDown);
  const levels: NodeId[][] = Array.from({ length: last + 1 }, () => []);
  graph.nodes.forEach(({ id }, at) => levels[at === 0 ? last : (far.get(id) ?? 0)]?.push(id));
  const breadth = Math.max(...levels.map((level) => level.length)) * step.sibling - step.siblingGap;
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
  const drawn = new Map<NodeId, DrawnNode>();
  levels.forEach((level, depth) => {
    const start = (breadth - (level.length * step.sibling - step.siblingGap)) / 2;
    level.forEach((id, at) => {
      const [along, beside] = [depth * step.level, start + at * step.sibling];
      const place = isDown ? { x: beside, y: along } : { x: along, y: beside };
      drawn.set(id, { id, name: names.get(id) ?? "", isTarget: id === target, ...place });
    });
  });
  const length = (last + 1) * step.level - step.levelGap;
  const size = isDown ? { width: breadth, height: length } : { width: length, height: breadth };
  return { nodes: [...drawn.values()], edges: drawnEdges(graph, drawn), ...size };
}

function drawnEdges({ edges }: PathGraph, drawn: Map<NodeId, DrawnNode>): DrawnEdge[] {
  const counts = new Map<string, number>();
  return edges.flatMap(({ from, to, name }): DrawnEdge[] => {
    const [a, b] = [drawn.get(from), drawn.get(to)];
    const pair = `${from} ${to}`;
    const index = counts.get(pair) ?? 0;
    counts.set(pair, index + 1);
    return a && b ? [{ from: a, to: b, name: name ?? "", index }] : [];
  });
}

/** The paths in words, one for each way into the target. */
export function pathsText({ nodes, edges }: PathGraph): string {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const into = (id: NodeId) => edges.filter((edge) => edge.to === id);
  const target = nodes[0];
  if (!target) {
    return "";
  }
  const lines = into(target.id).map((last) => {
    const steps = [`${names.get(target.id)}`];
    const seen = new Set<NodeId>([target.id]);
    for (let edge: (typeof edges)[number] | undefined = last; edge && !seen.has(edge.from); edge = into(edge.from)[0]) {
      steps.unshift(`${names.get(edge.from)} —${edge.name ?? ""}→`);
      seen.add(edge.from);
    }
    return steps.join(" ");
  });
  return lines.join("\n");
}
