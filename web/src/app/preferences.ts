// SPDX-License-Identifier: MIT
// Preferences, and how wide the parts of the page are, are kept by the browser, for this server's address.
import type { Store } from "../store";
import type { Preferences } from "../store/models";
import { DEFAULT_PREFERENCES, DEFAULT_SIZES } from "../store/reducers/views";

const KEYS = { preferences: "ubiheap.preferences", sizes: "ubiheap.sizes" } as const;
type Kept = keyof typeof KEYS;

/** What was kept; of what is missing or of another kind, the default. */
function keptOf<Values extends object>(what: Kept, defaults: Values): Values {
  const values = { ...defaults } as Record<string, unknown>;
  try {
    const kept = JSON.parse(localStorage.getItem(KEYS[what]) ?? "{}") as Record<string, unknown>;
    for (const name of Object.keys(defaults)) {
      if (typeof kept[name] === typeof values[name]) {
        values[name] = kept[name];
      }
    }
  } catch {
    // What cannot be read is as if it were not there.
  }
  return values as Values;
}

export const keptPreferences = (): Preferences => keptOf("preferences", DEFAULT_PREFERENCES);
export const keptSizes = () => keptOf("sizes", DEFAULT_SIZES);

export function keepPreferences(store: Store): void {
  const kept = { ...store.getState() };
  store.subscribe(() => {
    const state = store.getState();
    for (const what of Object.keys(KEYS) as Kept[]) {
      if (state[what] !== kept[what]) {
        Object.assign(kept, { [what]: state[what] });
        localStorage.setItem(KEYS[what], JSON.stringify(state[what]));
      }
    }
  });
}
