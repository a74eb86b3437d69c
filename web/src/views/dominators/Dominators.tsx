// SPDX-License-Identifier: MIT
// Dominators: who keeps how much memory alive, as a tree whose nodes come as they are opened, beside the paths to one of them.
import { useMemo } from "react";
import { commandText } from "../../logic/commands";
import { dominatorRows, nextBigDrop, type DominatorRow } from "../../logic/dominator_rows";
import { labelText } from "../../logic/names";
import { CopyMenu } from "../../shared/CopyMenu";
import { FocusedPaths } from "../../shared/FocusedPaths";
import { useDo, useSee } from "../../shared/hooks";
import { useNodeColumns } from "../../shared/NodeTable";
import { SplitPane } from "../../shared/SplitPane";
import { Spinner } from "../../shared/Status";
import { TreeTable } from "../../shared/TreeTable";
import { collapseDominatorTreeNode, focusDominatorTreeNode, resizeShortestPaths } from "../../store/actions";
import type { DominatorTreeModel, Snapshot } from "../../store/models";
import { expandDominatorNode, fetchImmediatelyDominated } from "../../store/tasks/dominators";
import { addressText } from "../../logic/address";

export function Dominators({ snapshot, tree }: { snapshot: Snapshot; tree: DominatorTreeModel }) {
  const act = useDo();
  const share = useSee((state) => state.sizes.shortestPathsSize);
  const { id, path: heap } = snapshot;
  const rows = useMemo(() => dominatorRows(tree.root, tree.expanded), [tree.root, tree.expanded]);
  const whole = tree.root?.retainedSize ?? 0;
  const columns = useNodeColumns<DominatorRow>(whole, heap, (row) => (row.kind === "node" ? row.node : null));
  const label = columns.find((column) => column.id === "label");
  const own = columns.map((column) => (column === label ? { ...column, cell: (row: DominatorRow) => labelCell(row) } : column));

  const load = (row: DominatorRow) => void act(fetchImmediatelyDominated(id, row.path, row.node.children?.length ?? 0));

  function labelCell(row: DominatorRow) {
    if (row.kind === "node") {
      return label?.cell(row);
    }
    return row.kind === "fetching" ? (
      <span className="muted">
        <Spinner /> fetching…
      </span>
    ) : (
      <button type="button" className="link-button" tabIndex={-1} onClick={() => load(row)}>
        Load more…
      </button>
    );
  }

  const focused = rows.findIndex((row) => row.kind === "node" && row.node.nodeId === tree.focused?.nodeId);
  const focus = (position: number) => {
    const row = rows[position];
    if (row?.kind === "node") {
      act(focusDominatorTreeNode({ id, node: row.node }));
    }
  };
  const drop = () => focus(nextBigDrop(rows, focused));
  const cells = () => [
    ["retainedSize", "shallowSize", "level", "label", "nodeId"],
    ...rows
      .filter((row) => row.kind === "node")
      .map(({ node, level }) => [node.retainedSize, node.shallowSize, level, labelText(node.label), node.nodeId]),
  ];
  return (
    <div
      className="table-view"
      onKeyDown={(event) => {
        if (event.altKey && event.key === "ArrowDown") {
          drop();
          event.preventDefault();
        }
      }}
    >
      <div className="view-bar">
        <p className="view-note">Below each object are those that it alone keeps alive. Retained is what would be freed with it.</p>
        <button type="button" className="button" onClick={drop} title="Alt+↓">
          Next big drop
        </button>
        <CopyMenu rows={cells} command={commandText("dominators", snapshot.name)} />
      </div>
      <SplitPane share={share} onShare={(size) => act(resizeShortestPaths(size))}>
        <TreeTable
          label="Dominator tree"
          columns={own}
          treeColumn="label"
          length={rows.length}
          rowAt={(position) => rows[position] ?? null}
          placeOf={(row) => ({
            key: `${row.kind} ${row.node.nodeId}`,
            level: row.level,
            index: row.index,
            siblingCount: row.siblingCount,
            isExpandable: row.kind === "node" && (row.node.moreChildrenAvailable || (row.node.children?.length ?? 0) > 0),
            isExpanded: row.kind === "node" && tree.expanded.has(row.node.nodeId),
            text: row.kind === "node" ? labelText(row.node.label) : "",
          })}
          focused={focused}
          parentOf={(position) => {
            const parent = rows[position]?.path.at(-2);
            return rows.findIndex((row) => row.kind === "node" && row.node.nodeId === parent);
          }}
          onFocus={focus}
          onToggle={(position, isExpanded) => {
            const row = rows[position];
            if (row && isExpanded) {
              void act(expandDominatorNode(id, row.node, row.path));
            } else if (row) {
              act(collapseDominatorTreeNode({ id, node: row.node }));
            }
          }}
          onActivate={(position) => {
            const row = rows[position];
            if (row?.kind === "node") {
              location.hash = addressText({ view: "object", heap, node: row.node.nodeId });
            }
          }}
        />
        <FocusedPaths id={id} node={tree.focused?.nodeId ?? null} />
      </SplitPane>
    </div>
  );
}
