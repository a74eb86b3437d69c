// SPDX-License-Identifier: MIT
// All classes with what they retain, as the Summary view of DevTools; a class opens to its objects, beside the paths to one of them.
import { useMemo } from "react";
import { farthest, figureWidth } from "../../logic/columns";
import { commandText } from "../../logic/commands";
import { formatDistance, formatNumber, formatPercent, percentOf, plural } from "../../logic/format";
import { summaryKey, summaryOrder, visibleClasses, type SummaryRow } from "../../logic/summary_rows";
import { CopyMenu } from "../../shared/CopyMenu";
import { FilterNote } from "../../shared/FilterNote";
import { FocusedPaths } from "../../shared/FocusedPaths";
import { useAddress, useBytes, useDo, useNodeIds, useSee } from "../../shared/hooks";
import { OpenLink } from "../../shared/names";
import { SplitPane } from "../../shared/SplitPane";
import { Empty, Spinner } from "../../shared/Status";
import { TreeTable, type Column } from "../../shared/TreeTable";
import { focusSummaryRow, resizeShortestPaths, toggleClass } from "../../store/actions";
import type { Snapshot, SummaryModel } from "../../store/models";
import { PAGE_ROWS } from "../../store/tasks/census";
import { summaryToCopy } from "../../store/tasks/copies";
import { fetchClasses, fetchClassNodes } from "../../store/tasks/summary";
import { setSummarySortAndRefresh } from "../../store/tasks/views";
import type { HeapPath } from "../../types/heap";

/** What both a class and an object have. */
function figuresOf(row: SummaryRow) {
  return row.kind === "class" ? row.row : row.kind === "node" ? row.node : null;
}

function rowText(row: SummaryRow): string {
  return row.kind === "class" ? row.row.name : row.kind === "node" ? row.node.name || row.row.name : "";
}

function ObjectsLink({ row, heap }: { row: SummaryRow; heap: HeapPath | null }) {
  const address = useAddress();
  if (row.kind === "node") {
    return <OpenLink heap={heap} node={row.node.id} />;
  }
  const words = `The objects of ${row.row.name} alone`;
  return row.kind === "class" ? (
    <a
      className="open-link"
      href={address({ view: "individuals", heap, kind: row.row.name })}
      title={words}
      aria-label={words}
      tabIndex={-1}
    >
      ⁂
    </a>
  ) : null;
}

function RowName({ row, heap }: { row: SummaryRow; heap: HeapPath | null }) {
  const idText = useNodeIds(heap);
  const text = rowText(row);
  if (row.kind !== "class" && row.kind !== "node") {
    return row.kind === "rest" ? (
      <span className="rest-words">{`${formatNumber(row.count)} more`}</span>
    ) : (
      <span className="muted">
        <Spinner /> fetching…
      </span>
    );
  }
  const beside = row.kind === "class" ? row.row.location : idText(row.node.id);
  return (
    <span className="name-cell">
      <span className="name" title={text}>
        {text}
      </span>
      {beside && (
        <span className="address" title={beside}>
          {beside.slice(beside.lastIndexOf("/") + 1)}
        </span>
      )}
    </span>
  );
}

/** Every column has room for the longest number that has come. */
function useSummaryColumns(summary: SummaryModel, heap: HeapPath | null): Column<SummaryRow>[] {
  const bytes = useBytes();
  const { rows, totalSize } = summary;
  const [retained, self, count] = useMemo(() => {
    const known = Object.values(rows);
    return (["retainedSize", "selfSize", "count"] as const).map((name) => farthest(known.map((row) => row[name])));
  }, [rows]) as [number, number, number];
  const size = (id: "retainedSize" | "selfSize", sort: string, title: string, most: number, help: string): Column<SummaryRow> => ({
    ...{ id, title, help, sort, isNumber: true },
    width: figureWidth("100px", [bytes(most), bytes(Math.min(most, 1023))], id === "retainedSize" ? ["100%"] : undefined),
    cell: (row) => {
      const value = figuresOf(row)?.[id];
      return (
        value !== undefined && (
          <span className="figure">
            <span className="figure-value">{bytes(value)}</span>
            {id === "retainedSize" && <span className="figure-percent">{formatPercent(percentOf(value, totalSize))}</span>}
          </span>
        )
      );
    },
  });
  return [
    size("retainedSize", "retained", "Retained Size", retained, "Bytes that would be freed with all objects of the class"),
    size("selfSize", "self", "Shallow Size", self, "Bytes that the objects themselves take"),
    {
      ...{ id: "count", title: "Count", sort: "count", isNumber: true, help: "How many objects the class has" },
      width: figureWidth("70px", [formatNumber(count)]),
      cell: (row) => row.kind === "class" && formatNumber(row.row.count),
    },
    {
      ...{ id: "distance", title: "Distance", width: "86px", sort: "distance", isNumber: true },
      help: "Steps from the root to the nearest object",
      cell: (row) => {
        const distance = figuresOf(row)?.distance;
        return distance !== undefined && formatDistance(distance < 0 ? null : distance);
      },
    },
    { id: "open", title: "", width: "30px", help: "The objects alone", cell: (row) => <ObjectsLink row={row} heap={heap} /> },
    {
      ...{ id: "name", title: "Class", width: "minmax(140px, 1fr)", sort: "name" },
      cell: (row) => <RowName row={row} heap={heap} />,
    },
  ];
}

export function Summary({ snapshot, summary }: { snapshot: Snapshot; summary: SummaryModel }) {
  const act = useDo();
  const address = useAddress();
  const share = useSee((state) => state.sizes.shortestPathsSize);
  const { id, path: heap } = snapshot;
  const { count, rows, open, filter, sort, classCount, focused } = summary;
  const visible = useMemo(() => visibleClasses({ count, rows, open }), [count, rows, open]);
  const columns = useSummaryColumns(summary, heap);
  const position = useMemo(() => positionOf(focused?.key ?? null, summary), [focused, summary]);
  if (count === 0) {
    return (
      <Empty title={filter ? "No matches" : "Empty"}>
        <p>
          {filter ? `No class has “${filter}” in its name; upper and lower case are different.` : "Nothing in this snapshot has a size."}
        </p>
        <FilterNote />
      </Empty>
    );
  }
  const toggle = (row: SummaryRow | null, isOpen: boolean) => {
    if (row?.kind === "rest" || (row?.kind === "class" && isOpen)) {
      void act(fetchClassNodes(id, row.index));
    } else if (row?.kind === "class") {
      act(toggleClass({ id, index: row.index, isOpen: false }));
    }
  };
  const needed = (first: number, end: number) => {
    for (let at = first; at < end; at++) {
      const offset = Math.floor(visible.indexAt(at) / PAGE_ROWS) * PAGE_ROWS;
      if (visible.at(at) === null) {
        void act(fetchClasses(id, offset));
        at += PAGE_ROWS - (visible.indexAt(at) - offset) - 1;
      }
    }
  };
  const { sort: order } = summaryOrder(sort);
  return (
    <div className="table-view">
      <div className="view-bar">
        <p className="view-note">
          {count < classCount && `${formatNumber(count)} of `}
          {plural(classCount, "class", "classes")}, as the engine’s own tools make them. Retained is what would be freed with all objects of
          one: classes keep each other’s objects, so it adds up to more than there is.
        </p>
        <FilterNote />
        <CopyMenu rows={() => act(summaryToCopy(id))} command={commandText("summary", ["--sort", order], ["--limit", 0], snapshot.name)} />
      </div>
      <SplitPane share={share} onShare={(size) => act(resizeShortestPaths(size))}>
        <TreeTable
          label="Classes"
          columns={columns}
          treeColumn="name"
          length={visible.length}
          rowAt={(at) => visible.at(at)}
          placeOf={(row) => ({
            key: row.key,
            level: row.kind === "class" ? 0 : 1,
            index: row.kind === "class" ? row.index : row.at,
            siblingCount: row.kind === "class" ? count : row.row.count,
            isExpandable: row.kind === "class" || row.kind === "rest",
            isExpanded: row.kind === "class" && row.isOpen,
            isComing: row.kind === "fetching",
            text: rowText(row),
          })}
          focused={position}
          parentOf={(at) => (visible.at(at)?.kind === "class" ? -1 : visible.positionOf(visible.indexAt(at)))}
          onFocus={(at) => {
            const row = visible.at(at);
            if (row && row.kind !== "fetching") {
              act(focusSummaryRow({ id, focused: { key: row.key, nodeId: row.kind === "node" ? row.node.id : null } }));
            }
          }}
          onToggle={(at, isOpen) => toggle(visible.at(at), isOpen)}
          onActivate={(at) => {
            const row = visible.at(at);
            if (row?.kind === "node") {
              location.hash = address({ view: "object", heap, node: row.node.id });
            } else {
              toggle(row, row?.kind !== "class" || !row.isOpen);
            }
          }}
          onWindow={needed}
          sort={sort}
          onSort={(wanted) => void act(setSummarySortAndRefresh(wanted))}
        />
        <FocusedPaths id={id} node={focused?.nodeId ?? null} />
      </SplitPane>
    </div>
  );
}

/** Where the row of a key is; -1: it is not visible. */
function positionOf(key: string | null, summary: SummaryModel): number {
  const visible = visibleClasses(summary);
  if (key === null) {
    return -1;
  }
  for (const one of summary.open.values()) {
    const at = (one.nodes ?? []).findIndex((node) => `node ${node.id}` === key);
    const isRest = key === `rest of ${summaryKey(one.row)}`;
    if (at >= 0 || isRest) {
      return visible.positionOf(one.index) + 1 + (isRest ? (one.nodes?.length ?? 0) : at);
    }
  }
  const found = Object.entries(summary.rows).find(([, row]) => summaryKey(row) === key);
  return found ? visible.positionOf(Number(found[0])) : -1;
}
