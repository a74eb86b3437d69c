// SPDX-License-Identifier: MIT
// Retaining paths that are long: only the first and last nodes of each are drawn, and between them one that stands for the rest.
import type { NodeId, PathGraph } from "../types/heap";
import { formatNumber } from "./format";

/** What a drawn node stands for that is not an object of the heap. */
export interface Fold {
  /** The first node of the nodes in a row, seen ones too: it stays the same while more of them are shown. */
  key: NodeId;
  count: number;
  /** What they have in common, as "Link.next × 12"; "": not all are alike. */
  like: string;
  /** Only the server has them: none is shown at a click. */
  isLeftOut?: true;
}

type PathNode = PathGraph["nodes"][number] & { fold?: Fold };
type PathEdge = PathGraph["edges"][number];

export interface FoldedGraph extends PathGraph {
  nodes: PathNode[];
}

/** How many nodes of a row are shown, besides those that are at first. */
export type ShownMore = ReadonlyMap<NodeId, number>;

/** Nodes that are drawn at first, about. */
const MOST_DRAWN = 60;
/** Of each row, however many rows there are. */
const LEAST_OF_ROW = 4;
/** Nodes that are shown at once of those that are folded. */
export const SHOWN_AT_ONCE = 20;

/** A graph in which nodes stand for what the server has left out between others, instead of edges that say how many those are. */
export function withRests(nodes: PathGraph["nodes"], edges: readonly (PathEdge & { leftOut?: number })[]): PathGraph {
  const graph: PathGraph = { nodes: [...nodes], edges: [] };
  for (const { from, to, name, leftOut } of edges) {
    if (leftOut === undefined) {
      graph.edges.push({ from, to, name });
      continue;
    }
    const id = `rest of ${from} ${to}`;
    graph.nodes.push({ id, name: `… ${formatNumber(leftOut)} more`, rest: leftOut });
    graph.edges.push({ from, to: id, name: null }, { from: id, to, name: null });
  }
  return graph;
}

/** The edges of each node, by one of their ends. */
export function edgesBy(edges: readonly PathEdge[], end: "from" | "to"): Map<NodeId, PathEdge[]> {
  const found = new Map<NodeId, PathEdge[]>();
  for (const edge of edges) {
    const known = found.get(edge[end]);
    if (known) {
      known.push(edge);
    } else {
      found.set(edge[end], [edge]);
    }
  }
  return found;
}

/** The node at the other end of all these edges; undefined: they have none in common. */
function onlyEnd(edges: readonly PathEdge[] | undefined, end: "from" | "to"): NodeId | undefined {
  const first = edges?.[0]?.[end];
  return edges?.every((edge) => edge[end] === first) ? first : undefined;
}

/** Nodes in a row, where one leads to the next and nothing else does. The target is in none. */
function rowsOf({ nodes, edges }: PathGraph): NodeId[][] {
  const [into, outOf] = [edgesBy(edges, "to"), edgesBy(edges, "from")];
  const before = (id: NodeId) => onlyEnd(into.get(id), "from");
  const after = (id: NodeId) => onlyEnd(outOf.get(id), "to");
  const target = nodes[0]?.id;
  const isInner = (id: NodeId | undefined): id is NodeId =>
    id !== undefined && id !== target && before(id) !== undefined && after(id) !== undefined;
  return nodes
    .map(({ id }) => id)
    .filter((id) => isInner(id) && !isInner(before(id)))
    .map((first) => {
      const row: NodeId[] = [];
      for (let id: NodeId | undefined = first; isInner(id); id = after(id)) {
        row.push(id);
      }
      return row;
    });
}

/** How many nodes those of a graph are, with what the server has left out. */
const countOf = (ids: readonly NodeId[], rests: ReadonlyMap<NodeId, number>): number =>
  ids.reduce<number>((sum, id) => sum + (rests.get(id) ?? 1), 0);

/** What nodes in a row have in common: their name, and that of the edges that lead on. Of those that were left out nothing is known. */
function likenessOf(
  hidden: readonly NodeId[],
  names: ReadonlyMap<NodeId, string>,
  outOf: ReadonlyMap<NodeId, PathEdge[]>,
  rests: ReadonlyMap<NodeId, number>,
): string {
  const known = hidden.filter((id) => !rests.has(id));
  const others = countOf(hidden, rests) - known.length;
  const words = new Set<string>();
  for (const id of known) {
    const edge = outOf.get(id)?.[0];
    if (!edge || !rests.has(edge.to)) {
      words.add(`${names.get(id)}.${edge?.name ?? ""}`);
    }
  }
  const [only = ""] = words;
  const more = others > 0 ? ` and ${formatNumber(others)} others` : "";
  return words.size === 1 ? `${only.replace(/\.$/, "")} × ${formatNumber(known.length)}${more}` : "";
}

/** A node that stands for what was left out is drawn as a fold. */
const drawnRest = (node: PathNode): PathNode =>
  node.rest === undefined ? node : { ...node, fold: { key: node.id, count: node.rest, like: "", isLeftOut: true } };

/** The paths with their long rows folded; the same graph where none is. Takes time linear in its size. */
export function foldedPaths(graph: PathGraph, more: ShownMore): FoldedGraph {
  if (graph.nodes.length <= MOST_DRAWN) {
    return graph.nodes.some(({ rest }) => rest !== undefined) ? { ...graph, nodes: graph.nodes.map(drawnRest) } : graph;
  }
  const rows = rowsOf(graph);
  const ofEach = Math.max(LEAST_OF_ROW, Math.floor(MOST_DRAWN / Math.max(1, rows.length)));
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
  const outOf = edgesBy(graph.edges, "from");
  const rests = new Map(graph.nodes.flatMap(({ id, rest }): [NodeId, number][] => (rest === undefined ? [] : [[id, rest]])));
  const places = new Map<NodeId, PathNode>();
  for (const row of rows) {
    const shown = ofEach + (more.get(row[0] as NodeId) ?? 0);
    const hidden = row.slice(Math.ceil(shown / 2), Math.max(0, row.length - Math.floor(shown / 2)));
    if (hidden.length > 1) {
      const fold = { key: row[0] as NodeId, count: countOf(hidden, rests), like: likenessOf(hidden, names, outOf, rests) };
      const node = { id: `fold of ${row[0]}`, name: `… ${formatNumber(fold.count)} more`, fold };
      hidden.forEach((id) => places.set(id, node));
    }
  }
  const placeOf = (id: NodeId) => places.get(id)?.id ?? id;
  return {
    nodes: [...graph.nodes.filter(({ id }) => !places.has(id)).map(drawnRest), ...new Set(places.values())],
    edges: graph.edges
      .filter(({ from, to }) => !places.has(from) || places.get(from) !== places.get(to))
      .map((edge) => ({ ...edge, from: placeOf(edge.from), to: placeOf(edge.to) })),
  };
}

export const foldsOf = ({ nodes }: FoldedGraph): Fold[] => nodes.flatMap(({ fold }) => (fold && !fold.isLeftOut ? [fold] : []));

/** With some more nodes of these rows shown. */
export function withMore(more: ShownMore, folds: readonly Fold[]): ShownMore {
  return new Map([...more, ...folds.map(({ key }): [NodeId, number] => [key, (more.get(key) ?? 0) + SHOWN_AT_ONCE])]);
}

/** What a click on folds does. */
export function moreWords(folds: readonly Fold[]): string {
  const count = folds.reduce((sum, fold) => sum + fold.count, 0);
  const next = folds.reduce((sum, fold) => sum + (fold.count - SHOWN_AT_ONCE > 1 ? SHOWN_AT_ONCE : fold.count), 0);
  return `Show ${formatNumber(next)} ${next < count ? `of ${formatNumber(count)} ` : ""}more`;
}
