// SPDX-License-Identifier: MIT
// The list of snapshots: what is open, how far it is, and, while two are chosen for a difference, which.
import { addressText } from "../../logic/address";
import { formatPercent, formatSize, formatTime } from "../../logic/format";
import { useDo, useSee } from "../../shared/hooks";
import { ProgressBar, Spinner } from "../../shared/Status";
import { DIFFING, DOMINATORS, isDiffable, LEAKS, SNAPSHOT, type DiffingModel, type LeaksModel, type Snapshot } from "../../store/models";
import { isBusy, serverWordOf, stateWords, titleOf, totalBytesOf } from "../../store/selectors";
import { selectForDiffing } from "../../store/tasks/diffing";
import { chooseForLeaks } from "../../store/tasks/leaks";
import { cancelSnapshot, deleteSnapshot } from "../../store/tasks/snapshots";
import { selectSnapshotAndRefresh } from "../../store/tasks/views";
import { Targets } from "./Targets";

/** States that end by themselves, but wait for somebody who looks. */
const WAITING: ReadonlySet<string> = new Set([SNAPSHOT.SAVED, DOMINATORS.COMPUTED]);

/** What a snapshot is busy with; "" nothing. */
function busyState(snapshot: Snapshot): string {
  const { state, census, summary, treeMap, dominatorTree, report } = snapshot;
  const states = [state, report?.state, treeMap?.state, census?.state, summary?.state, dominatorTree?.state];
  return states.find((one) => one && !WAITING.has(one) && isBusy(one)) ?? (state === SNAPSHOT.ERROR ? state : "");
}

/** "Baseline" or "Comparison", once it is chosen; its place in a series. */
function roleOf({ id }: Snapshot, diffing: DiffingModel | null, leaks: LeaksModel | null): string {
  const place = leaks?.ids.indexOf(id) ?? -1;
  if (place >= 0) {
    return `${place + 1} of ${leaks?.ids.length}`;
  }
  return diffing?.firstSnapshotId === id ? "Baseline" : diffing?.secondSnapshotId === id ? "Comparison" : "";
}

function SecondLine({ snapshot, role }: { snapshot: Snapshot; role: string }) {
  const busy = busyState(snapshot);
  const total = totalBytesOf(snapshot);
  const { progress } = snapshot;
  if (role) {
    return <span className="snapshot-role">{role}</span>;
  }
  if (busy) {
    const percent = progress?.fraction === undefined ? "" : ` ${formatPercent(progress.fraction * 100)}`;
    return (
      <span className={busy === SNAPSHOT.ERROR ? "snapshot-error" : "snapshot-busy"}>
        {stateWords(busy).short}
        {percent}
      </span>
    );
  }
  const time = snapshot.creationTime === null ? null : formatTime(snapshot.creationTime);
  return (
    <span>
      {total === null ? `${formatSize(snapshot.size)} on disk` : formatSize(total)}
      {time && <span className="snapshot-time"> · {time}</span>}
    </span>
  );
}

function SnapshotItem({ snapshot }: { snapshot: Snapshot }) {
  const act = useDo();
  const diffing = useSee((state) => state.diffing);
  const leaks = useSee((state) => state.leaks);
  const role = roleOf(snapshot, diffing, leaks);
  const isSeries = leaks?.state === LEAKS.SELECTING;
  const isSelecting = diffing?.state === DIFFING.SELECTING || isSeries;
  const isChoice = isSelecting && isDiffable(snapshot);
  const busy = busyState(snapshot);
  const isRunning = busy !== "" && busy !== SNAPSHOT.ERROR;
  const title = titleOf(snapshot);
  const word = useSee((state) => serverWordOf(state, snapshot));
  const choose = () => {
    if (isSeries) {
      act(chooseForLeaks(snapshot.id));
    } else {
      void act(isSelecting ? selectForDiffing(snapshot.id) : selectSnapshotAndRefresh(snapshot.id));
    }
  };
  return (
    <li className={`snapshot${snapshot.selected ? " selected" : ""}${role ? " chosen" : ""}`} data-state={snapshot.state}>
      <button
        type="button"
        className="snapshot-choose"
        aria-current={snapshot.selected || undefined}
        aria-pressed={isChoice ? role !== "" : undefined}
        disabled={isSelecting && ((role !== "" && !isSeries) || !isChoice)}
        title={snapshot.error ?? (snapshot.what ? `${snapshot.name}: ${snapshot.what}` : snapshot.name)}
        onClick={choose}
      >
        {isSelecting && <span className={role ? "check checked" : "check"} aria-hidden="true" />}
        <span className="snapshot-lines">
          <span className="snapshot-title">{title || "Processing…"}</span>
          <span className="snapshot-line">
            <SecondLine snapshot={snapshot} role={role} />
          </span>
        </span>
        {isRunning && <Spinner />}
      </button>
      <span className="snapshot-actions">
        {isRunning ? (
          <button
            type="button"
            className="icon-button"
            aria-label={`Cancel ${title}`}
            title="Cancel"
            onClick={() => void act(cancelSnapshot(snapshot.id))}
          >
            ◼
          </button>
        ) : (
          <>
            {snapshot.path && (
              <a
                className="icon-button"
                aria-label={`Save ${title}`}
                title="Save the file"
                href={`/api/1/heaps/${encodeURIComponent(word)}/file`}
                download={snapshot.name}
              >
                ↓
              </a>
            )}
            <button
              type="button"
              className="icon-button"
              aria-label={`Delete ${title}`}
              title="Delete"
              onClick={() => void act(deleteSnapshot(snapshot.id))}
            >
              ×
            </button>
          </>
        )}
      </span>
      {isRunning && <ProgressBar progress={snapshot.progress} />}
    </li>
  );
}

export function SnapshotList({ onImport }: { onImport: () => void }) {
  const snapshots = useSee((state) => state.snapshots);
  const diffing = useSee((state) => state.diffing);
  const isSeries = useSee((state) => state.leaks?.state === LEAKS.SELECTING);
  const isPair = diffing?.state === DIFFING.SELECTING;
  return (
    <nav className="snapshots" aria-label="Snapshots">
      <Targets />
      <h2 className="side-title">{isPair ? "Select two snapshots" : isSeries ? "Select snapshots" : "Snapshots"}</h2>
      {snapshots.length === 0 && <p className="side-empty">Nothing is open. Drop a file here.</p>}
      <ul>
        {snapshots.map((snapshot) => (
          <SnapshotItem key={snapshot.id} snapshot={snapshot} />
        ))}
      </ul>
      <div className="side-foot">
        <button type="button" className="button wide" onClick={onImport}>
          Import files…
        </button>
        <a href={addressText({ view: "settings" })}>Settings</a>
      </div>
    </nav>
  );
}
