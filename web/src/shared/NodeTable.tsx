// SPDX-License-Identifier: MIT
// The columns of nodes: what they retain, what they take, what they are.
import { figureWidth } from "../logic/columns";
import { formatPercent, percentOf } from "../logic/format";
import type { Bytes, DominatorTreeNode, HeapPath } from "../types/heap";
import { useBytes, useNodeIds } from "./hooks";
import { NodeLabel, OpenLink } from "./names";
import type { Column } from "./TreeTable";

/** What a row shows: a node, or what has sums only. */
export interface NodeCells {
  shallowSize: Bytes | null;
  retainedSize: Bytes | null;
  node: DominatorTreeNode | null;
  /** Instead of the node's label. */
  words?: React.ReactNode;
}

export function useNodeColumns<Row>(whole: number, heap: HeapPath | null, cellsOf: (row: Row) => NodeCells): Column<Row>[] {
  const bytes = useBytes();
  const idText = useNodeIds(heap);
  const width = figureWidth("clamp(100px, 10.6vw, 136px)", [bytes(whole), bytes(Math.min(whole, 1023))], ["100%"]);
  const size = (id: "retainedSize" | "shallowSize", title: string, help: string): Column<Row> => ({
    ...{ id, title, help, width, isNumber: true },
    cell: (row) => {
      const value = cellsOf(row)[id];
      return (
        value !== null && (
          <span className="figure">
            <span className="figure-value">{bytes(value)}</span>
            <span className="figure-percent">{formatPercent(percentOf(value, whole))}</span>
          </span>
        )
      );
    },
  });
  return [
    size("retainedSize", "Retained Size", "Bytes that would be freed with the object"),
    size("shallowSize", "Shallow Size", "Bytes that the object itself takes"),
    {
      ...{ id: "open", title: "", width: "30px", help: "The object's own page" },
      cell: (row) => {
        const { node } = cellsOf(row);
        return node && <OpenLink heap={heap} node={node.nodeId} />;
      },
    },
    {
      ...{ id: "label", title: "Label", width: "minmax(260px, 1fr)" },
      cell: (row) => {
        const { node, words } = cellsOf(row);
        return (
          <span className="name-cell">
            {words ?? (node && <NodeLabel node={node} />)}
            {node && <span className="row-address">{idText(node.nodeId)}</span>}
          </span>
        );
      },
    },
  ];
}
