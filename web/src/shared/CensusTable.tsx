// SPDX-License-Identifier: MIT
// The table of a census, of one heap or of what changed between two.
import { useMemo, type ReactNode } from "react";
import { farthest, figureWidth } from "../logic/columns";
import { formatNumber, formatPercent, percentOf } from "../logic/format";
import { rowNameText } from "../logic/names";
import { visibleRows, type PlacedRow, type VisibleRow } from "../logic/rows";
import type { CensusModel } from "../store/models";
import { PAGE_ROWS } from "../store/tasks/census";
import type { RowId } from "../types/heap";
import { useBytes, useSee } from "./hooks";
import { Name } from "./names";
import { TreeTable, type Column } from "./TreeTable";

export interface CensusTableProps {
  census: CensusModel;
  isDiff: boolean;
  onFocus(node: RowId): void;
  onExpand(node: RowId): void;
  onCollapse(node: RowId): void;
  onSort(sort: string): void;
  /** Rows of a parent that are wanted, from an offset on. */
  onNeed(parent: RowId, offset: number): void;
  /** Shows the nodes that a row counts; absent where that is not possible. */
  onIndividuals?(indices: ReadonlySet<number>): void;
}

export function indicesOf(row: PlacedRow): ReadonlySet<number> | null {
  const { reportLeafIndex: leaf } = row;
  return leaf === undefined ? null : new Set(Array.isArray(leaf) ? leaf : [leaf]);
}

export function CensusTable(props: CensusTableProps) {
  const { census, isDiff } = props;
  const tree = census.report;
  const visible = useMemo(() => tree && visibleRows(tree, census.expanded), [tree, census.expanded]);
  const columns = useColumns(props);
  if (!tree || !visible) {
    return null;
  }
  const rowAt = (position: number) => {
    const at = visible.at(position);
    return at?.row ? (at as VisibleRow & { row: PlacedRow }) : null;
  };
  const needed = (first: number, end: number) => {
    for (let position = first; position < end; position++) {
      const at = visible.at(position);
      if (at && !at.row) {
        props.onNeed(at.parent, Math.floor(at.index / PAGE_ROWS) * PAGE_ROWS);
        position += PAGE_ROWS - (at.index % PAGE_ROWS) - 1;
      }
    }
  };
  const individuals = (position: number) => {
    const row = rowAt(position)?.row;
    const indices = row && indicesOf(row);
    if (indices) {
      props.onIndividuals?.(indices);
    }
  };
  return (
    <TreeTable
      label={isDiff ? "What changed" : "What there is"}
      columns={columns}
      treeColumn="name"
      length={visible.length}
      rowAt={rowAt}
      placeOf={({ row, level, index, siblingCount }) => ({
        key: String(row.id),
        level,
        index,
        siblingCount,
        isExpandable: row.childCount > 0,
        isExpanded: census.expanded.has(row.id),
        text: rowNameText(row.name),
      })}
      focused={census.focused === null ? -1 : visible.positionOf(census.focused)}
      parentOf={(position) => visible.positionOf(visible.at(position)?.parent ?? tree.root)}
      onFocus={(position) => {
        const row = rowAt(position)?.row;
        if (row) {
          props.onFocus(row.id);
        }
      }}
      onToggle={(position, isExpanded, withDescendants) => {
        const row = rowAt(position)?.row;
        if (row && isExpanded) {
          props.onExpand(row.id);
          const below = withDescendants ? Object.values(tree.lists[row.id]?.ids ?? {}) : [];
          below.filter((id) => (tree.rows[id]?.childCount ?? 0) > 0).forEach(props.onExpand);
        } else if (row) {
          props.onCollapse(row.id);
        }
      }}
      onActivate={individuals}
      onWindow={needed}
      sort={census.sort}
      onSort={props.onSort}
    />
  );
}

type CensusColumn = Column<VisibleRow & { row: PlacedRow }>;

function useColumns(props: CensusTableProps): CensusColumn[] {
  const { census, isDiff, onIndividuals } = props;
  const bytes = useBytes();
  const hasPercentages = useSee((state) => state.preferences.percentages);
  const totals = census.report ?? { totalBytes: 0, totalCount: 0 };

  const figure = (text: string, part: number, whole: number): ReactNode => (
    <span className={isDiff && part !== 0 ? (part > 0 ? "figure more" : "figure less") : "figure"}>
      <span className="figure-value">{text}</span>
      {hasPercentages && <span className="figure-percent">{formatPercent(percentOf(part, whole), isDiff)}</span>}
    </span>
  );
  /** With room for the longest number of the rows that have come, and for its share. */
  const { rows } = census.report ?? {};
  const [mostBytes, mostCount] = useMemo(() => {
    const known = Object.values(rows ?? {});
    return [farthest(known.map((row) => row.totalBytes)), farthest(known.map((row) => row.totalCount))];
  }, [rows]);
  const widthOf = (least: string, text: string, part: number, whole: number) =>
    figureWidth(least, [text], hasPercentages ? [formatPercent(percentOf(part, whole), isDiff)] : undefined);
  const sizes = (id: "bytes" | "totalBytes", title: string, help: string): CensusColumn => ({
    ...{
      id,
      title,
      help,
      width: widthOf("clamp(100px, 11.5vw, 150px)", bytes(mostBytes, isDiff), mostBytes, totals.totalBytes),
      isNumber: true,
      sort: id,
    },
    cell: ({ row }) => figure(bytes(row[id], isDiff), row[id], totals.totalBytes),
  });
  const counts = (id: "count" | "totalCount", title: string, help: string): CensusColumn => ({
    ...{
      id,
      title,
      help,
      width: widthOf("clamp(88px, 9.6vw, 124px)", formatNumber(mostCount, isDiff), mostCount, totals.totalCount),
      isNumber: true,
      sort: id,
    },
    cell: ({ row }) => figure(formatNumber(row[id], isDiff), row[id], totals.totalCount),
  });
  const pointer = ({ row, level }: VisibleRow & { row: PlacedRow }) => {
    if (census.display.inverted) {
      return level > 0 ? "↖" : "";
    }
    return row.childCount > 0 ? "↘" : "";
  };
  const individuals: CensusColumn = {
    ...{ id: "individuals", title: "", width: "34px", help: "The objects of a row" },
    cell: ({ row }) => {
      const indices = indicesOf(row);
      return (
        indices && (
          <button
            type="button"
            className="individuals-button"
            tabIndex={-1}
            title="Show the objects of this row"
            aria-label={`Objects of ${rowNameText(row.name)}`}
            onClick={(event) => {
              event.stopPropagation();
              onIndividuals?.(indices);
            }}
          >
            ⁂
          </button>
        )
      );
    },
  };
  return [
    sizes("bytes", "Bytes", "Bytes of the things in this row alone"),
    counts("count", "Count", "The things in this row alone"),
    sizes("totalBytes", "Total Bytes", "Bytes with all rows below"),
    counts("totalCount", "Total Count", "The things with all rows below"),
    ...(onIndividuals ? [individuals] : []),
    {
      ...{ id: "name", title: "Name", width: "minmax(220px, 1fr)", sort: "name" },
      cell: (at) => (
        <span className="name-cell">
          {pointer(at) && (
            <span className="pointer" aria-hidden="true">
              {pointer(at)}
            </span>
          )}
          <Name name={at.row.name} />
        </span>
      ),
    },
  ];
}
