// SPDX-License-Identifier: MIT
// The retaining paths of the row that is focused in a table of nodes, fetched once the focus stays.
import { useEffect } from "react";
import type { SnapshotId } from "../store/models";
import { snapshotOf } from "../store/selectors";
import { fetchPaths } from "../store/tasks/paths";
import type { NodeId } from "../types/heap";
import { useDo, useSee } from "./hooks";
import { RetainingPaths } from "./RetainingPaths";
import { Spinner } from "./Status";

const STAYS_MS = 150;

export function FocusedPaths({ id, node }: { id: SnapshotId; node: NodeId | null }) {
  const act = useDo();
  const paths = useSee((state) => (state.paths?.id === id && state.paths.nodeId === node ? state.paths : null));
  const heap = useSee((state) => snapshotOf(state, id)?.path ?? null);
  useEffect(() => {
    if (node === null) {
      return undefined;
    }
    const timer = setTimeout(() => void act(fetchPaths(id, node)), STAYS_MS);
    return () => clearTimeout(timer);
  }, [act, id, node]);
  if (node === null) {
    return <p className="paths-hint">Select an item to see its retaining paths: why it is alive.</p>;
  }
  if (!paths?.graph) {
    return (
      <p className="paths-hint" role="status">
        {paths?.error ?? (
          <>
            <Spinner /> Looking for retaining paths…
          </>
        )}
      </p>
    );
  }
  return <RetainingPaths paths={paths.graph} heap={heap} />;
}
