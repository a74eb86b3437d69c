// SPDX-License-Identifier: MIT
// The columns of nodes: what they retain, what they take, what they are.
import { formatPercent, percentOf } from "../logic/format";
import type { DominatorTreeNode, HeapPath } from "../types/heap";
import { useBytes } from "./hooks";
import { NodeLabel, NodeLink } from "./names";
import type { Column } from "./TreeTable";

export function useNodeColumns<Row>(whole: number, heap: HeapPath | null, nodeOf: (row: Row) => DominatorTreeNode | null): Column<Row>[] {
  const bytes = useBytes();
  const size = (id: "retainedSize" | "shallowSize", title: string, help: string): Column<Row> => ({
    ...{ id, title, help, width: "minmax(112px, 140px)", isNumber: true },
    cell: (row) => {
      const node = nodeOf(row);
      return (
        node && (
          <span className="figure">
            <span className="figure-value">{bytes(node[id])}</span>
            <span className="figure-percent">{formatPercent(percentOf(node[id], whole))}</span>
          </span>
        )
      );
    },
  });
  return [
    size("retainedSize", "Retained Size", "Bytes that would be freed with the object"),
    size("shallowSize", "Shallow Size", "Bytes that the object itself takes"),
    {
      ...{ id: "label", title: "Label", width: "minmax(180px, 1fr)" },
      cell: (row) => {
        const node = nodeOf(row);
        return (
          node && (
            <span className="name-cell">
              <NodeLabel label={node.label} />
              <NodeLink heap={heap} node={node.nodeId} />
            </span>
          )
        );
      },
    },
  ];
}
