// SPDX-License-Identifier: MIT
// Where the focus goes by keys: in a list of rows that have a few things each, of which Tab comes to one alone; and in a table of which
// some rows have not come.

export interface Place {
  row: number;
  /** In its row. */
  column: number;
}

/** @param columns  of this row. @return null: the key goes nowhere. */
export function placeAfterKey(key: string, { row, column }: Place, rows: number, columns: number): Place | null {
  const places: Record<string, Place> = {
    ArrowDown: { row: row + 1, column: 0 },
    ArrowUp: { row: row - 1, column: 0 },
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    Home: { row: 0, column: 0 },
    End: { row: rows - 1, column: 0 },
  };
  const to = places[key];
  const isThere = to && to.row >= 0 && to.row < rows && to.column >= 0 && (to.row !== row || to.column < columns);
  return isThere ? to : null;
}

/** A row that keys have gone to before it came. */
export interface Awaited {
  position: number;
  /** Where the focus was then, and stays until the row comes. */
  from: number;
}

/** The row that the next key is of: one that is awaited, unless the focus was taken elsewhere meanwhile. */
export function positionOfKeys(awaited: Awaited | null, focused: number): number {
  return awaited?.from === focused ? awaited.position : focused;
}
