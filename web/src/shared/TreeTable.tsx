// SPDX-License-Identifier: MIT
// A tree with columns, of which only the rows in its window are in the document. It has the keyboard's focus as a whole; which row is
// focused is the caller's to remember.
import { memo, useEffect, useId, useRef, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { positionOfKeys, type Awaited } from "../logic/roving";
import { useVirtualList } from "./virtual";

export const ROW_HEIGHT = 26;
const HEADER_HEIGHT = 32;
const INDENT = 18;
/** Levels that are indented; deeper ones have their number instead, so that names have room. */
const MOST_INDENTED = 8;
/** What is typed within this time looks for one name. */
const TYPING_MS = 800;

export interface Column<Row> {
  id: string;
  title: string;
  /** As in grid-template-columns. */
  width: string;
  isNumber?: boolean;
  /** What rows can be sorted by; columns without are not sorted. */
  sort?: string;
  help?: string;
  cell(row: Row): ReactNode;
}

/** Where a row is in the tree. */
export interface TreeRow {
  key: string;
  level: number;
  /** From 0, and of how many. */
  index: number;
  siblingCount: number;
  isExpandable: boolean;
  isExpanded: boolean;
  /** It stands for rows that are on their way: keys wait for the first of them. */
  isComing?: boolean;
  /** For type-ahead. */
  text: string;
}

export interface TreeTableProps<Row> {
  label: string;
  columns: Column<Row>[];
  /** The column that has the arrows. */
  treeColumn: string;
  length: number;
  /** null: it has not come. */
  rowAt(position: number): Row | null;
  placeOf(row: Row): TreeRow;
  /** Position of the focused row; -1: none is. */
  focused: number;
  parentOf(position: number): number;
  onFocus(position: number): void;
  onToggle(position: number, isExpanded: boolean, withDescendants: boolean): void;
  onActivate(position: number): void;
  /** Rows that are in the window, or would be. */
  onWindow?(first: number, end: number): void;
  sort?: string;
  onSort?(sort: string): void;
}

/** The order that a click on a column's title asks for: largest first, then smallest first, then the tree's own. */
function nextSort(sort: string, column: string): string {
  return sort === `-${column}` ? `+${column}` : sort === `+${column}` ? "" : `-${column}`;
}

function ariaSort(sort: string, column: string | undefined): "ascending" | "descending" | "none" {
  return column && sort.slice(1) === column ? (sort.startsWith("-") ? "descending" : "ascending") : "none";
}

export function TreeTable<Row>(props: TreeTableProps<Row>) {
  const { columns, length, focused, sort = "" } = props;
  const id = useId();
  const list = useVirtualList(length, ROW_HEIGHT, HEADER_HEIGHT);
  const { onWindow } = props;
  const { first, end, scrollTo } = list;
  const keys = useTreeKeys(props, list.pageRows, useMove(props, scrollTo));
  useEffect(() => onWindow?.(first, end), [onWindow, first, end]);
  useEffect(() => scrollTo(focused), [scrollTo, focused]);

  const template = columns.map((column) => column.width).join(" ");
  const positions = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  return (
    <div
      ref={list.ref}
      className="tree-table"
      role="treegrid"
      aria-label={props.label}
      aria-rowcount={length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={focused >= first && focused < end ? `${id}${focused}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
      onFocus={(event) => event.target === event.currentTarget && focused < 0 && length > 0 && props.onFocus(first)}
      style={{ "--columns": template } as React.CSSProperties}
    >
      <div className="tree-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            aria-sort={ariaSort(sort, column.sort)}
            className={column.isNumber ? "head-cell number" : "head-cell"}
            title={column.help}
          >
            {column.sort && props.onSort ? (
              <button type="button" onClick={() => props.onSort?.(nextSort(sort, column.sort ?? ""))}>
                {column.title}
                <span className="sort-mark" aria-hidden="true">
                  {{ ascending: "▲", descending: "▼", none: "" }[ariaSort(sort, column.sort)]}
                </span>
              </button>
            ) : (
              column.title || <span className="unseen">{column.help}</span>
            )}
          </div>
        ))}
      </div>
      <div className="tree-rows" role="presentation" style={{ height: list.height }}>
        <div className="tree-layer" role="presentation" style={{ transform: `translateY(${list.layerTop}px)` }}>
          {positions.map((position) => (
            <TreeTableRow
              // Elements of rows that were scrolled out of the window are those that were scrolled into it.
              key={position % list.mostRows}
              id={`${id}${position}`}
              position={position}
              top={list.topInLayer(position)}
              isFocused={position === focused}
              table={props as TreeTableProps<unknown>}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  position: number;
  top: number;
  isFocused: boolean;
  table: TreeTableProps<unknown>;
}

/** What a row shows follows from its table's properties, so rows that stay in the window while it is scrolled are not made again. */
const TreeTableRow = memo(function TreeTableRow({ id, position, top, isFocused, table }: RowProps) {
  const row = table.rowAt(position);
  if (row === null) {
    return (
      <div className="tree-row pending" role="row" aria-rowindex={position + 2} style={{ transform: `translateY(${top}px)` }}>
        <div role="gridcell" className="tree-cell">
          …
        </div>
      </div>
    );
  }
  const place = table.placeOf(row);
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    table.onFocus(position);
    table.onToggle(position, !place.isExpanded, event.altKey);
  };
  return (
    <div
      id={id}
      className={`tree-row${isFocused ? " focused" : ""}${position % 2 ? " odd" : ""}`}
      role="row"
      aria-level={place.level + 1}
      aria-posinset={place.index + 1}
      aria-setsize={place.siblingCount}
      aria-rowindex={position + 2}
      aria-selected={isFocused}
      aria-expanded={place.isExpandable ? place.isExpanded : undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => table.onFocus(position)}
      onDoubleClick={() => table.onActivate(position)}
    >
      {table.columns.map((column) => (
        <div key={column.id} role="gridcell" className={column.isNumber ? "tree-cell number" : "tree-cell"}>
          {column.id === table.treeColumn && (
            <span className="tree-indent" style={{ width: Math.min(place.level, MOST_INDENTED) * INDENT + 18 }}>
              {place.level > MOST_INDENTED && (
                <span className="tree-depth" title={`Level ${place.level + 1}`}>
                  {place.level + 1}
                </span>
              )}
              {place.isExpandable && (
                <span className={place.isExpanded ? "tree-arrow open" : "tree-arrow"} aria-hidden="true" onClick={toggle} />
              )}
            </span>
          )}
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
});

/** Focuses rows. One that has not come is scrolled to, and focused when it comes, unless another one is by then; keys are of it already. */
function useMove<Row>(props: TreeTableProps<Row>, scrollTo: (position: number) => void) {
  const awaited = useRef<Awaited | null>(null);
  const hasCome = (position: number) => {
    const row = props.rowAt(position);
    return row !== null && !props.placeOf(row).isComing;
  };
  useEffect(() => {
    const position = positionOfKeys(awaited.current, props.focused);
    if (position === props.focused) {
      awaited.current = null;
    } else if (hasCome(position)) {
      awaited.current = null;
      props.onFocus(position);
    }
  });
  return {
    /** The row that keys are of. */
    position: () => positionOfKeys(awaited.current, props.focused),
    move: (wanted: number) => {
      const position = Math.max(0, Math.min(props.length - 1, wanted));
      if (hasCome(position)) {
        awaited.current = null;
        props.onFocus(position);
      } else {
        awaited.current = { position, from: props.focused };
        scrollTo(position);
      }
    },
  };
}

/** What keys do in a tree, when a row is focused and no modifier is held. */
function useTreeKeys<Row>(props: TreeTableProps<Row>, pageRows: number, { position, move }: ReturnType<typeof useMove<Row>>) {
  const typed = useRef({ text: "", at: 0 });
  const { length, focused, rowAt, placeOf } = props;

  /** The next row whose name begins with what was typed, as far as rows have come. */
  function typeAhead(key: string, now: number) {
    const isSame = now - typed.current.at < TYPING_MS;
    const text = (isSame ? typed.current.text : "") + key.toLowerCase();
    typed.current = { text, at: now };
    const start = position() + (text.length > 1 ? 0 : 1);
    for (let step = 0; step < Math.min(length, 5000); step++) {
      const found = (Math.max(0, start) + step) % length;
      const row = rowAt(found);
      if (row !== null && placeOf(row).text.toLowerCase().startsWith(text)) {
        move(found);
        return;
      }
    }
  }

  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey || focused < 0 || length === 0) {
      return;
    }
    const at = position();
    const row = rowAt(at);
    const place = row === null ? null : placeOf(row);
    const isOpen = place?.isExpandable && place.isExpanded;
    const isClosed = place?.isExpandable && !place.isExpanded;
    const actions: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      ArrowRight: () => (isClosed ? props.onToggle(at, true, false) : move(at + 1)),
      ArrowLeft: () => {
        const parent = props.parentOf(at);
        if (isOpen) {
          props.onToggle(at, false, false);
        } else if (parent >= 0) {
          move(parent);
        }
      },
      Home: () => move(0),
      End: () => move(length - 1),
      PageDown: () => move(at + pageRows),
      PageUp: () => move(at - pageRows),
      Enter: () => props.onActivate(at),
      " ": () => props.onActivate(at),
    };
    const act = actions[event.key];
    if (act) {
      act();
    } else if (event.key.length === 1) {
      typeAhead(event.key, event.timeStamp);
    } else {
      return;
    }
    event.preventDefault();
  };
}
