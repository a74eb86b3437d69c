// SPDX-License-Identifier: MIT
// The single objects that a row of a census counts, or that are of a kind; those that retain most first.
import { commandText } from "../../logic/commands";
import { formatNumber, formatSize, plural } from "../../logic/format";
import { nodeText, shortNodeText } from "../../logic/names";
import { CopyMenu } from "../../shared/CopyMenu";
import { FocusedPaths } from "../../shared/FocusedPaths";
import { useAddress, useDo, useSee } from "../../shared/hooks";
import { useNodeColumns } from "../../shared/NodeTable";
import { SplitPane } from "../../shared/SplitPane";
import { TreeTable } from "../../shared/TreeTable";
import { focusIndividual, resizeShortestPaths } from "../../store/actions";
import { VIEW, type IndividualsModel, type Snapshot } from "../../store/models";
import { popViewAndRefresh } from "../../store/tasks/views";
import type { DominatorTreeNode } from "../../types/heap";

const BACK: Record<string, string> = { [VIEW.TREE_MAP]: "Tree Map", [VIEW.START]: "Start", [VIEW.SUMMARY]: "Summary" };

function commandOf({ name }: Snapshot, { of }: IndividualsModel): string {
  if (!of || "className" in of) {
    return commandText("summary", ["--class", of?.className ?? ""], name);
  }
  const { censusBreakdown, indices } = of;
  return commandText("census", ["--breakdown", JSON.stringify(censusBreakdown)], ["--individuals", [...indices].join(",")], "--json", name);
}

export function Individuals({ snapshot, individuals }: { snapshot: Snapshot; individuals: IndividualsModel }) {
  const address = useAddress();
  const act = useDo();
  const { nodes, nodeCount, shallowSize, focused, of } = individuals;
  const whose = of && "className" in of ? `of the kind ${of.className}` : "in that row";
  const previous = useSee((state) => state.view.previous?.state);
  const share = useSee((state) => state.sizes.shortestPathsSize);
  const whole =
    snapshot.dominatorTree?.root?.retainedSize ??
    snapshot.report?.report?.reachable.bytes ??
    snapshot.treeMap?.report?.boxes[0]?.bytes ??
    0;
  const columns = useNodeColumns<DominatorTreeNode>(whole, snapshot.path, (node) => ({ ...node, node }));
  const cells = () => [
    ["retainedSize", "shallowSize", "label", "nodeId"],
    ...nodes.map((node) => [node.retainedSize, node.shallowSize, nodeText(node), node.nodeId]),
  ];
  return (
    <div className="table-view">
      <div className="view-bar">
        <button type="button" className="button" onClick={() => void act(popViewAndRefresh())}>
          ← Back to {BACK[previous ?? ""] ?? "Aggregate"}
        </button>
        <p className="view-note">
          {nodes.length < nodeCount
            ? `The ${formatNumber(nodes.length)} objects that retain most, of ${formatNumber(nodeCount)} ${whose}`
            : `${plural(nodeCount, "object")} ${whose}`}
          {`, which take ${formatSize(shallowSize)} themselves.`}
        </p>
        <CopyMenu rows={cells} command={commandOf(snapshot, individuals)} />
      </div>
      <SplitPane share={share} onShare={(size) => act(resizeShortestPaths(size))}>
        <TreeTable
          label="Objects"
          columns={columns}
          treeColumn=""
          length={nodes.length}
          rowAt={(position) => nodes[position] ?? null}
          placeOf={(node) => ({
            key: String(node.nodeId),
            level: 0,
            index: nodes.indexOf(node),
            siblingCount: nodes.length,
            isExpandable: false,
            isExpanded: false,
            text: shortNodeText(node),
          })}
          focused={focused ? nodes.findIndex((node) => node.nodeId === focused.nodeId) : -1}
          parentOf={() => -1}
          onFocus={(position) => act(focusIndividual({ node: nodes[position] ?? null }))}
          onToggle={() => undefined}
          onActivate={(position) => {
            const node = nodes[position];
            if (node) {
              location.hash = address({ view: "object", heap: snapshot.path, node: node.nodeId });
            }
          }}
        />
        <FocusedPaths id={snapshot.id} node={focused?.nodeId ?? null} />
      </SplitPane>
    </div>
  );
}
