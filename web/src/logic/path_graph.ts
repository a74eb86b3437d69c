// SPDX-License-Identifier: MIT
// Where the nodes of retaining paths are drawn: the root at the left or the top, the target at the other end, in levels by how far they
// are from the root. Between two levels each edge has its name at a place of its own, through which it is drawn.
import type { NodeId, PathGraph } from "../types/heap";
import { edgesBy, type Fold, type FoldedGraph } from "./path_fold";

export interface DrawnNode {
  id: NodeId;
  name: string;
  x: number;
  y: number;
  isTarget: boolean;
  /** It stands for nodes that are not drawn. */
  fold: Fold | null;
}

export interface DrawnEdge {
  from: DrawnNode;
  to: DrawnNode;
  name: string;
  /** The name as it is drawn, cut where it is long. */
  text: string;
  /** The middle of the text, and how wide it is. */
  label: { x: number; y: number; width: number };
}

export interface Drawing {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  width: number;
  height: number;
}

export const NODE_WIDTH = 170;
export const NODE_HEIGHT = 40;
export const LABEL_HEIGHT = 16;
const MOST_LETTERS = 24;
/** Of the type that names are written in. */
const LETTER_WIDTH = 7;
const BETWEEN_LABELS = 10;
/** Between nodes beside each other; and in a gap between levels, besides the names. */
const GAPS = { across: { sibling: 26, level: 56 }, down: { sibling: 46, level: 36 } };

/** Letters of two columns: of East Asia, and pictures. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const columnsOf = (letters: readonly string[]) => letters.reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);

/** A text that is at most so many columns wide. */
function cutText(text: string): string {
  const letters = [...text.slice(0, 4 * MOST_LETTERS)];
  if (letters.join("") === text && columnsOf(letters) <= MOST_LETTERS) {
    return text;
  }
  while (columnsOf(letters) >= MOST_LETTERS) {
    letters.pop();
  }
  return `${letters.join("")}…`;
}

/** How many edges lead to each node from those that nothing leads to. */
function distances({ nodes, edges }: PathGraph): Map<NodeId, number> {
  const next = edgesBy(edges, "from");
  const reached = new Set(edges.map(({ to }) => to));
  const found = new Map<NodeId, number>();
  let level = nodes.filter(({ id }) => !reached.has(id)).map(({ id }) => id);
  for (let distance = 0; level.length > 0; distance++) {
    level.forEach((id) => found.set(id, distance));
    level = [...new Set(level.flatMap((id) => (next.get(id) ?? []).map(({ to }) => to)))].filter((id) => !found.has(id));
  }
  return found;
}

/** The nodes of each level. The target has the last one for itself: nothing on its paths is beside it. */
function levelsOf(graph: PathGraph): NodeId[][] {
  const far = distances(graph);
  const others = graph.nodes.slice(1).map(({ id }) => far.get(id) ?? 0);
  const last = others.length > 0 ? Math.max(...others) + 1 : 0;
  const levels: NodeId[][] = Array.from({ length: last + 1 }, () => []);
  graph.nodes.forEach(({ id }, at) => levels[at === 0 ? last : (far.get(id) ?? 0)]?.push(id));
  return levels;
}

/** Nodes beside each other in the order of what leads to them, so that fewer edges cross. */
function sortLevels(levels: NodeId[][], { edges }: PathGraph): void {
  const places = new Map<NodeId, number>();
  const into = edgesBy(edges, "to");
  for (const level of levels) {
    const wanted = new Map(
      level.map((id, at) => {
        const from = (into.get(id) ?? []).flatMap((edge) => places.get(edge.from) ?? []);
        return [id, from.length > 0 ? from.reduce((sum, one) => sum + one, 0) / from.length : at / Math.max(1, level.length)];
      }),
    );
    level.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    level.forEach((id, at) => places.set(id, (at + 0.5) / level.length));
  }
}

/** Middles as near as possible to those that are wanted, at least `apart` from each other; both in order. */
function spread(wanted: readonly number[], apart: number): number[] {
  const clumps: { sum: number; n: number }[] = [];
  const middle = ({ sum, n }: { sum: number; n: number }) => sum / n;
  wanted.forEach((want, at) => {
    let last = { sum: want - at * apart, n: 1 };
    for (let before = clumps[clumps.length - 1]; before && middle(before) > middle(last); before = clumps[clumps.length - 1]) {
      clumps.pop();
      last = { sum: before.sum + last.sum, n: before.n + last.n };
    }
    clumps.push(last);
  });
  return clumps.flatMap((clump) => Array.from({ length: clump.n }, () => middle(clump))).map((at, index) => at + index * apart);
}

/** A name that waits for its place in the gap before a level. `want`: along the level. */
interface Waiting {
  edge: DrawnEdge;
  want: number;
}

/** Names in lines, each in the first that has room for it; and how many lines that takes. */
function inLines(names: Waiting[]): { lines: number[]; count: number } {
  const ends: number[] = [];
  const lines = names.map(({ edge, want }) => {
    const left = want - edge.label.width / 2;
    const free = ends.findIndex((end) => end + BETWEEN_LABELS <= left);
    const line = free < 0 ? ends.length : free;
    ends[line] = left + edge.label.width;
    return line;
  });
  return { lines, count: ends.length };
}

/** Levels below each other: names side by side, in as many lines as they need. The height that they take. */
function placeNamesDown(names: Waiting[], top: number): number {
  const { lines, count } = inLines(names);
  names.forEach(({ edge, want }, at) => {
    edge.label.x = want;
    edge.label.y = top + GAPS.down.level / 2 + ((lines[at] ?? 0) + 0.5) * LABEL_HEIGHT;
  });
  return GAPS.down.level + count * LABEL_HEIGHT;
}

/** Levels beside each other: names above each other. The width that they take. */
function placeNamesAcross(names: Waiting[], left: number): number {
  const width = Math.max(0, ...names.map(({ edge }) => edge.label.width));
  const middles = spread(
    names.map(({ want }) => want),
    LABEL_HEIGHT,
  );
  names.forEach(({ edge }, at) => {
    edge.label.x = left + GAPS.across.level / 2 + width / 2;
    edge.label.y = middles[at] ?? 0;
  });
  return GAPS.across.level + width;
}

/** @param isDown  levels are below each other, not beside. */
export function drawingOf(graph: FoldedGraph, isDown: boolean): Drawing {
  const levels = levelsOf(graph);
  sortLevels(levels, graph);
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  const target = graph.nodes[0]?.id;
  const beside = isDown ? NODE_WIDTH : NODE_HEIGHT;
  const step = beside + GAPS[isDown ? "down" : "across"].sibling;
  const breadth = Math.max(...levels.map((level) => level.length)) * step - (step - beside);
  const drawn = new Map<NodeId, DrawnNode>();
  for (const level of levels) {
    const start = (breadth - (level.length * step - (step - beside))) / 2;
    level.forEach((id, at) => {
      const [x, y] = isDown ? [start + at * step, 0] : [0, start + at * step];
      const { name = "", fold = null } = known.get(id) ?? {};
      drawn.set(id, { id, name, isTarget: id === target, fold, x, y });
    });
  }
  const edges = drawnEdges(graph, drawn);
  const length = placeLevels(levels, drawn, edges, isDown);
  const size = isDown ? { width: breadth, height: length } : { width: length, height: breadth };
  return moved({ nodes: [...drawn.values()], edges, ...size });
}

/** Levels one after the other, with the names of the edges that lead to each before it. The length of all. */
function placeLevels(levels: NodeId[][], drawn: Map<NodeId, DrawnNode>, edges: DrawnEdge[], isDown: boolean): number {
  const middleOf = (node: DrawnNode) => (isDown ? node.x + NODE_WIDTH / 2 : node.y + NODE_HEIGHT / 2);
  const depths = new Map(levels.flatMap((level, depth) => level.map((id): [NodeId, number] => [id, depth])));
  const before = levels.map((): DrawnEdge[] => []);
  edges.forEach((edge) => before[depths.get(edge.to.id) ?? 0]?.push(edge));
  let end = 0;
  levels.forEach((level, depth) => {
    const into = (before[depth] ?? [])
      .map((edge) => ({ edge, want: (middleOf(edge.from) + middleOf(edge.to)) / 2 }))
      .sort((a, b) => a.want - b.want);
    const hasGap = depth > 0 || into.length > 0;
    end += hasGap ? (isDown ? placeNamesDown(into, end) : placeNamesAcross(into, end)) : 0;
    for (const id of level) {
      const node = drawn.get(id);
      if (node) {
        node[isDown ? "y" : "x"] = end;
      }
    }
    end += isDown ? NODE_HEIGHT : NODE_WIDTH;
  });
  return end;
}

/** So that names that are beside all nodes are within the drawing, too. */
function moved(drawing: Drawing): Drawing {
  const { nodes, edges } = drawing;
  const lefts = edges.map(({ label }) => label.x - label.width / 2);
  const tops = edges.map(({ label }) => label.y - LABEL_HEIGHT / 2);
  const [left, top] = [Math.min(0, ...lefts), Math.min(0, ...tops)];
  for (const at of [...nodes, ...edges.map(({ label }) => label)]) {
    at.x -= left;
    at.y -= top;
  }
  const right = edges.map(({ label }) => label.x + label.width / 2);
  const bottom = edges.map(({ label }) => label.y + LABEL_HEIGHT / 2);
  return { nodes, edges, width: Math.max(drawing.width - left, ...right), height: Math.max(drawing.height - top, ...bottom) };
}

function drawnEdges({ edges }: PathGraph, drawn: Map<NodeId, DrawnNode>): DrawnEdge[] {
  return edges.flatMap(({ from, to, name }): DrawnEdge[] => {
    const [a, b] = [drawn.get(from), drawn.get(to)];
    const text = cutText(name ?? "");
    return a && b ? [{ from: a, to: b, name: name ?? "", text, label: { x: 0, y: 0, width: columnsOf([...text]) * LETTER_WIDTH } }] : [];
  });
}

/** The line of an edge, through its name. */
export function edgeLine({ from, to, label }: DrawnEdge, isDown: boolean): string {
  const half = label.width / 2;
  if (isDown) {
    const [x1, y1, x2, y2] = [from.x + NODE_WIDTH / 2, from.y + NODE_HEIGHT, to.x + NODE_WIDTH / 2, to.y - 6];
    const [above, below] = [(label.y - y1) / 2, (y2 - label.y) / 2];
    return `M${x1},${y1} C${x1},${y1 + above} ${label.x},${label.y - above} ${label.x},${label.y} S${x2},${y2 - below} ${x2},${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x - 6, to.y + NODE_HEIGHT / 2];
  const [left, right] = [label.x - half, label.x + half];
  const [before, behind] = [(left - x1) / 2, (x2 - right) / 2];
  const way = `C${x1 + before},${y1} ${left - before},${label.y} ${left},${label.y} L${right},${label.y}`;
  return `M${x1},${y1} ${way} C${right + behind},${label.y} ${x2 - behind},${y2} ${x2},${y2}`;
}

/** The paths in words, one for each way into the target. */
export function pathsText({ nodes, edges }: FoldedGraph): string {
  const names = new Map(nodes.map(({ id, name, fold }) => [id, fold?.like ? `${name} (${fold.like})` : name]));
  const into = edgesBy(edges, "to");
  const target = nodes[0];
  const lines = (target ? (into.get(target.id) ?? []) : []).map((last) => {
    const steps = [`${names.get(last.to)}`];
    const seen = new Set<NodeId>([last.to]);
    for (let edge: (typeof edges)[number] | undefined = last; edge && !seen.has(edge.from); edge = into.get(edge.from)?.[0]) {
      steps.push(`${names.get(edge.from)} —${edge.name ?? ""}→`);
      seen.add(edge.from);
    }
    return steps.reverse().join(" ");
  });
  return lines.join("\n");
}

/** Where a drawing is put in a window, and how large it is there. */
export interface DrawingPlace {
  x: number;
  y: number;
  scale: number;
}

/** Around a drawing that begins in the corner of its window. */
const MARGIN = 20;
const LEAST_SCALE = 0.6;

/** All of its width is seen at first, unless that would be too small to read: then the target is, and what leads to it. */
export function firstPlace({ nodes, width }: Drawing, view: { width: number; height: number }): DrawingPlace {
  const target = nodes.find(({ isTarget }) => isTarget);
  const scale = view.width > 0 ? Math.max(LEAST_SCALE, Math.min(1, (view.width - 2 * MARGIN) / width)) : 1;
  const along = (length: number, end: number) => (length > 0 ? Math.min(MARGIN, length - MARGIN - end * scale) : MARGIN);
  return {
    x: along(view.width, (target?.x ?? 0) + NODE_WIDTH),
    y: along(view.height, (target?.y ?? 0) + NODE_HEIGHT),
    scale,
  };
}
