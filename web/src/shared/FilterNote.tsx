// SPDX-License-Identifier: MIT
// Says that a filter hides rows: it stays when one looks at another snapshot.
import { setFilterAndRefresh } from "../store/tasks/views";
import { useDo, useSee } from "./hooks";

export function FilterNote() {
  const act = useDo();
  const filter = useSee((state) => state.filter);
  return filter ? (
    <p className="filter-note">
      Only what has “{filter}” in its name{" "}
      <button type="button" className="link-button" onClick={() => void act(setFilterAndRefresh(""))}>
        Show all
      </button>
    </p>
  ) : null;
}
