// SPDX-License-Identifier: MIT
// Rows of the tree that was looked at when the page was left are open when it is loaded again in the same tab: the browser keeps them as
// long as the tab. An address would get long, and who is sent it wants to begin at the top.
import { sightOfAddress } from "../logic/address";
import type { Store } from "../store";
import { openRows, openRowsOf } from "../store/tasks/open_rows";

const KEY = "ubiheap.open";

interface Kept {
  /** As sightOfAddress. */
  sight: string;
  rows: string[];
}

function keptOf(text: string | null): Kept | null {
  try {
    const kept = JSON.parse(text ?? "null") as Partial<Kept> | null;
    const isKept = typeof kept?.sight === "string" && Array.isArray(kept.rows) && kept.rows.every((row) => typeof row === "string");
    return isKept ? (kept as Kept) : null;
  } catch {
    return null;
  }
}

/** Keeps them from now on. */
function keepOpenRows(store: Store): void {
  window.addEventListener("pagehide", () => {
    const kept: Kept = { sight: sightOfAddress(location.hash), rows: openRowsOf(store.getState()) };
    if (kept.rows.length > 0) {
      sessionStorage.setItem(KEY, JSON.stringify(kept));
    }
  });
}

/** Opens what was open, once the view of the address is there. */
export async function startOpenRows(store: Store): Promise<void> {
  const kept = keptOf(sessionStorage.getItem(KEY));
  sessionStorage.removeItem(KEY);
  keepOpenRows(store);
  if (kept && kept.sight === sightOfAddress(location.hash)) {
    await store.dispatch(openRows(kept.rows));
  }
}
