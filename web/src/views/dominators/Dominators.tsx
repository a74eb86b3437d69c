// SPDX-License-Identifier: MIT
// Dominators: who keeps how much memory alive, as a tree whose nodes come as they are opened, beside the paths to one of them.
import { useMemo } from "react";
import { commandText } from "../../logic/commands";
import { classRows, dominatorRows, groupLabel, nodeUpTo, type DominatorRow } from "../../logic/dominator_rows";
import { formatNumber, plural } from "../../logic/format";
import { labelText, nodeText, shortNodeText } from "../../logic/names";
import { CopyMenu } from "../../shared/CopyMenu";
import { FocusedPaths } from "../../shared/FocusedPaths";
import { useAddress, useDo, useSee } from "../../shared/hooks";
import { NodeLabel } from "../../shared/names";
import { useNodeColumns, type NodeCells } from "../../shared/NodeTable";
import { SplitPane } from "../../shared/SplitPane";
import { Spinner } from "../../shared/Status";
import { TreeTable } from "../../shared/TreeTable";
import {
  collapseDominatorTreeNode,
  focusDominatorTreeNode,
  leaveDeepDominators,
  resizeShortestPaths,
  toggleClassRow,
} from "../../store/actions";
import type { DominatorTreeModel, Snapshot } from "../../store/models";
import {
  DOMINATED_ROWS,
  expandByClass,
  expandDominatorNode,
  fetchGroups,
  fetchImmediatelyDominated,
  fetchMembers,
  revealNextDrop,
} from "../../store/tasks/dominators";

/** What a row is called, as text. */
function rowText({ kind, node, rest, group }: DominatorRow): string {
  if (rest) {
    return rest.count === null ? "more" : `${formatNumber(rest.count)} more`;
  }
  if (group) {
    return `${labelText(groupLabel(group))} × ${formatNumber(group.count)}`;
  }
  return kind === "node" ? nodeText(node) : "";
}

function cellsOf(row: DominatorRow): NodeCells {
  const { kind, node, rest, group } = row;
  if (rest) {
    const words = <span className="rest-words">{rowText(row)}</span>;
    return rest.count === null ? { shallowSize: null, retainedSize: null, node: null, words } : { ...rest, node: null, words };
  }
  if (group) {
    const words = (
      <>
        <NodeLabel node={{ label: groupLabel(group) }} />
        <span className="group-count">{plural(group.count, "object")}</span>
      </>
    );
    return { ...group, node: null, words };
  }
  if (kind === "fetching") {
    const words = (
      <span className="muted">
        <Spinner /> fetching…
      </span>
    );
    return { shallowSize: null, retainedSize: null, node: null, words };
  }
  return { ...node, node };
}

/** The rows that are visible, and what opens and closes them. */
function useRows(snapshot: Snapshot, tree: DominatorTreeModel) {
  const act = useDo();
  const isByClass = useSee((state) => state.grouping === "class");
  const { id } = snapshot;
  const rows = useMemo(
    () => (isByClass ? classRows(tree.root, tree.byClass) : dominatorRows(tree.deep?.top ?? tree.root, tree.expanded)),
    [isByClass, tree.root, tree.deep, tree.byClass, tree.expanded],
  );
  /** What has not come of a node's groups, of a group's nodes, or of what a node dominates. */
  const openRest = ({ rest, node, path, parent }: DominatorRow) => {
    const above = rows.find((row) => row.key === parent);
    if (!rest) {
      return;
    }
    if (above?.group) {
      void act(fetchMembers(id, above.group, rest.from));
    } else if (isByClass) {
      void act(fetchGroups(id, node.nodeId, (rest.from + DOMINATED_ROWS) * 2));
    } else {
      void act(fetchImmediatelyDominated(id, path, rest.from, rest.count));
    }
  };
  const toggle = (row: DominatorRow, isOpen: boolean) => {
    if (row.rest) {
      openRest(row);
    } else if (isByClass && isOpen) {
      void act(expandByClass(id, row.node, row.group));
    } else if (isByClass) {
      act(toggleClassRow({ id, row: row.key, isOpen }));
    } else if (isOpen) {
      void act(expandDominatorNode(id, row.node, row.path));
    } else {
      act(collapseDominatorTreeNode({ id, node: row.node }));
    }
  };
  return { rows, isByClass, toggle };
}

export function Dominators({ snapshot, tree }: { snapshot: Snapshot; tree: DominatorTreeModel }) {
  const address = useAddress();
  const act = useDo();
  const share = useSee((state) => state.sizes.shortestPathsSize);
  const { id, path: heap } = snapshot;
  const { rows, isByClass, toggle } = useRows(snapshot, tree);
  const columns = useNodeColumns<DominatorRow>(tree.root?.retainedSize ?? 0, heap, cellsOf);
  const places = useMemo(() => new Map(rows.map((row, at) => [row.key, at])), [rows]);
  const focused = places.get(tree.focusedRow ?? "") ?? -1;
  const focus = (position: number) => {
    const row = rows[position];
    if (row && row.kind !== "fetching") {
      act(focusDominatorTreeNode({ id, node: row.kind === "node" ? row.node : null, row: row.key }));
    }
  };
  const drop = () => {
    if (!isByClass) {
      void act(revealNextDrop(id, nodeUpTo(rows, focused)?.nodeId ?? null));
    }
  };
  const activate = (position: number) => {
    const row = rows[position];
    if (row?.kind === "node") {
      location.hash = address({ view: "object", heap, node: row.node.nodeId });
    } else if (row?.isExpandable) {
      toggle(row, !row.isExpanded);
    }
  };
  const cells = () => [
    ["retainedSize", "shallowSize", "level", "label", "nodeId"],
    ...rows
      .filter((row) => row.kind !== "fetching")
      .map((row) => {
        const { retainedSize, shallowSize, node } = cellsOf(row);
        return [retainedSize, shallowSize, row.level, rowText(row), node?.nodeId ?? null];
      }),
  ];
  const note = isByClass
    ? "Below each object are the classes of those that it alone keeps alive, below each class its objects."
    : "Below each object are those that it alone keeps alive. Retained is what would be freed with it.";
  const command = commandText("dominators", ...(isByClass ? [["--by", "class"] as [string, string]] : []), snapshot.name);
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
        <p className="view-note">{note}</p>
        {!isByClass && (
          <button type="button" className="button" onClick={drop} title="Alt+↓">
            Next big drop
          </button>
        )}
        <CopyMenu rows={cells} command={command} />
      </div>
      {tree.deep && !isByClass && (
        <p className="view-note" role="status">
          The first row is {plural(tree.deep.levelsAbove, "level")} below the root.{" "}
          <button type="button" className="link-button" onClick={() => act(leaveDeepDominators({ id }))}>
            Show the tree from the root
          </button>
        </p>
      )}
      <SplitPane share={share} onShare={(size) => act(resizeShortestPaths(size))}>
        <TreeTable
          label="Dominator tree"
          columns={columns}
          treeColumn="label"
          length={rows.length}
          rowAt={(position) => rows[position] ?? null}
          placeOf={(row) => ({
            ...row,
            isComing: row.kind === "fetching",
            text: row.kind === "node" && !row.rest && !row.group ? shortNodeText(row.node) : rowText(row),
          })}
          focused={focused}
          parentOf={(position) => places.get(rows[position]?.parent ?? "") ?? -1}
          onFocus={focus}
          onToggle={(position, isExpanded) => {
            const row = rows[position];
            if (row) {
              toggle(row, isExpanded);
            }
          }}
          onActivate={activate}
        />
        <FocusedPaths id={id} node={tree.focused?.nodeId ?? null} />
      </SplitPane>
    </div>
  );
}
