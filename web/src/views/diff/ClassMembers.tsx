// SPDX-License-Identifier: MIT
// The objects of one class that only one of two snapshots has: those first that retain most.
import { useEffect } from "react";
import { classKey, type ClassChange, type ClassSide } from "../../logic/class_diff";
import { formatNumber } from "../../logic/format";
import { labelText } from "../../logic/names";
import { useAddress, useDo } from "../../shared/hooks";
import { useNodeColumns } from "../../shared/NodeTable";
import { Spinner } from "../../shared/Status";
import { TreeTable } from "../../shared/TreeTable";
import { focusClassMember } from "../../store/actions";
import type { ClassMembersModel, Snapshot } from "../../store/models";
import { totalBytesOf } from "../../store/selectors";
import { chooseClass, fetchClassMembers } from "../../store/tasks/diffing";
import type { DominatorTreeNode } from "../../types/heap";

/** Whoever walks through classes does not look at the objects of each. */
const STAYS_MS = 150;

const SIDES: readonly (readonly [ClassSide, string])[] = [
  ["created", "New"],
  ["deleted", "Deleted"],
];

function Nodes({ members, row, snapshot }: { members: ClassMembersModel; row: ClassChange; snapshot: Snapshot }) {
  const act = useDo();
  const address = useAddress();
  const columns = useNodeColumns<DominatorTreeNode>(totalBytesOf(snapshot) ?? 0, snapshot.path, (node) => ({ ...node, node }));
  const { nodes } = members;
  if (!nodes) {
    return (
      <p className="paths-hint" role="status">
        {members.error ?? (
          <>
            <Spinner /> Looking for the objects…
          </>
        )}
      </p>
    );
  }
  if (nodes.length === 0) {
    return <p className="paths-hint">No object of this class is {members.side === "created" ? "new" : "gone"}.</p>;
  }
  return (
    <TreeTable
      label={`Objects of ${row.name}`}
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
        text: labelText(node.label),
      })}
      focused={nodes.findIndex((node) => node.nodeId === members.focused)}
      parentOf={() => -1}
      onFocus={(position) => {
        const node = nodes[position];
        if (node) {
          act(focusClassMember(node.nodeId));
        }
      }}
      onToggle={() => undefined}
      onActivate={(position) => {
        const node = nodes[position];
        if (node) {
          location.hash = address({ view: "object", heap: snapshot.path, node: node.nodeId });
        }
      }}
    />
  );
}

export function ClassMembers({ members, row, snapshot }: { members: ClassMembersModel; row: ClassChange; snapshot: Snapshot }) {
  const act = useDo();
  const { key, side: shown, nodes, error } = members;
  const isMissing = !nodes && !error;
  useEffect(() => {
    const timer = isMissing ? setTimeout(() => void act(fetchClassMembers()), STAYS_MS) : undefined;
    return () => clearTimeout(timer);
  }, [act, key, shown, isMissing]);
  return (
    <section className="members" aria-label={`Objects of ${row.name} that changed`}>
      <header className="members-bar">
        <h2 title={row.name}>{row.name}</h2>
        <div className="segments" role="group" aria-label="Which objects">
          {SIDES.map(([side, title]) => (
            <button key={side} type="button" aria-pressed={members.side === side} onClick={() => act(chooseClass(classKey(row), side))}>
              {title} {formatNumber(row[side].count)}
            </button>
          ))}
        </div>
      </header>
      <Nodes members={members} row={row} snapshot={snapshot} />
    </section>
  );
}
