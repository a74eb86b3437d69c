// SPDX-License-Identifier: MIT
// What a display gives with a snapshot that is open: its first rows.
import { formatNumber, formatSize } from "../../logic/format";
import { rowNameText } from "../../logic/names";
import { useSee } from "../../shared/hooks";
import { Spinner } from "../../shared/Status";
import { isCountable } from "../../store/models";
import { snapshotOf, titleOf } from "../../store/selectors";

export function Trial({ wanted }: { wanted: string }) {
  const trial = useSee((state) => state.trial);
  const hasHeap = useSee((state) => state.snapshots.some(isCountable));
  const snapshot = useSee((state) => snapshotOf(state, state.trial?.id ?? null));
  if (!hasHeap) {
    return <p className="muted">Open a snapshot to see them.</p>;
  }
  if (trial?.key === wanted && trial.error) {
    return (
      <p className="field-error" role="alert">
        {trial.error}
      </p>
    );
  }
  if (trial?.key !== wanted || !trial.page) {
    return (
      <p className="muted" role="status">
        <Spinner /> Counting…
      </p>
    );
  }
  const { rows, childCount } = trial.page;
  return (
    <table className="trial">
      <caption>
        {snapshot ? titleOf(snapshot) : ""}: {formatNumber(rows.length)} of {formatNumber(childCount)}
      </caption>
      <thead>
        <tr>
          <th scope="col">Total Bytes</th>
          <th scope="col">Total Count</th>
          <th scope="col">Name</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td>{formatSize(row.totalBytes)}</td>
            <td>{formatNumber(row.totalCount)}</td>
            <td>{rowNameText(row.name)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
