// SPDX-License-Identifier: MIT
// Preferences are kept by the browser, for this server's address.
import type { Store } from "../store";
import type { Preferences } from "../store/models";
import { DEFAULT_PREFERENCES } from "../store/reducers/views";

const KEY = "ubiheap.preferences";

/** What was kept; of what is missing or of another kind, the default. */
export function keptPreferences(): Preferences {
  const preferences: Record<string, unknown> = { ...DEFAULT_PREFERENCES };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    for (const name of Object.keys(DEFAULT_PREFERENCES)) {
      if (typeof kept[name] === typeof preferences[name]) {
        preferences[name] = kept[name];
      }
    }
  } catch {
    // What cannot be read is as if it were not there.
  }
  return preferences as unknown as Preferences;
}

export function keepPreferences(store: Store): void {
  let kept = store.getState().preferences;
  store.subscribe(() => {
    const { preferences } = store.getState();
    if (preferences !== kept) {
      kept = preferences;
      localStorage.setItem(KEY, JSON.stringify(preferences));
    }
  });
}
