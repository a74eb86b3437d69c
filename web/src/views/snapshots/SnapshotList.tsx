// SPDX-License-Identifier: MIT
// The list of snapshots: what is open, how far it is, and, while two are chosen for a difference, which.
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { addressText } from "../../logic/address";
import { formatPercent, formatSize, formatTime } from "../../logic/format";
import { placeAfterKey } from "../../logic/roving";
import { useDo, useSee } from "../../shared/hooks";
import { ProgressBar, Spinner } from "../../shared/Status";
import {
  DIFFING,
  DOMINATORS,
  isDiffable,
  LEAKS,
  SNAPSHOT,
  type DiffingModel,
  type LeaksModel,
  type Snapshot,
  type SnapshotId,
} from "../../store/models";
import { isBusy, neighbourOf, serverWordOf, stateWords, titleAmong, totalBytesOf } from "../../store/selectors";
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
        {(busy === SNAPSHOT.ERROR && snapshot.error) || stateWords(busy).short}
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

interface ItemProps {
  snapshot: Snapshot;
  /** Whether Tab comes to it: of a list, to one item. */
  isCurrent: boolean;
  onDelete(snapshot: Snapshot): void;
}

/** Keeps an element in view while it is what matters. */
function useInView<Kind extends HTMLElement>(isWanted: boolean) {
  const ref = useRef<Kind>(null);
  useEffect(() => {
    if (isWanted) {
      ref.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isWanted]);
  return ref;
}

function SnapshotItem({ snapshot, isCurrent, onDelete }: ItemProps) {
  const act = useDo();
  const ref = useInView<HTMLLIElement>(snapshot.selected);
  const diffing = useSee((state) => state.diffing);
  const leaks = useSee((state) => state.leaks);
  const role = roleOf(snapshot, diffing, leaks);
  const isSeries = leaks?.state === LEAKS.SELECTING;
  const isSelecting = diffing?.state === DIFFING.SELECTING || isSeries;
  const isChoice = isSelecting && isDiffable(snapshot);
  const busy = busyState(snapshot);
  const isRunning = busy !== "" && busy !== SNAPSHOT.ERROR;
  const title = useSee(({ snapshots }) => titleAmong(snapshots, snapshot));
  const word = useSee((state) => serverWordOf(state, snapshot));
  const isFixed = isSelecting && ((role !== "" && !isSeries) || !isChoice);
  const choose = () => {
    if (isFixed) {
      return;
    }
    if (isSeries) {
      act(chooseForLeaks(snapshot.id));
    } else {
      void act(isSelecting ? selectForDiffing(snapshot.id) : selectSnapshotAndRefresh(snapshot.id));
    }
  };
  return (
    <li ref={ref} className={`snapshot${snapshot.selected ? " selected" : ""}${role ? " chosen" : ""}`} data-state={snapshot.state}>
      <button
        type="button"
        className="snapshot-choose"
        tabIndex={isCurrent ? 0 : -1}
        aria-current={snapshot.selected || undefined}
        aria-pressed={isChoice ? role !== "" : undefined}
        aria-disabled={isFixed || undefined}
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
            tabIndex={-1}
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
                tabIndex={-1}
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
              tabIndex={-1}
              aria-label={`Delete ${title}`}
              title="Delete"
              onClick={() => onDelete(snapshot)}
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

interface DeleteDialogProps {
  /** null: nothing is asked. */
  snapshot: Snapshot | null;
  onDelete(snapshot: Snapshot): void;
  onClose(): void;
}

/** Says what is lost, and asks. */
function DeleteDialog({ snapshot, onDelete, onClose }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (snapshot && !dialog.current?.open) {
      dialog.current?.showModal();
    }
  }, [snapshot]);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="delete-title" onClose={onClose}>
      <h2 id="delete-title">Take “{snapshot?.name}” off the list?</h2>
      <p>If it was imported or taken here, it is deleted on the server. A file that the server was started with stays where it is.</p>
      <form method="dialog" className="dialog-buttons">
        <button type="submit" className="button">
          Cancel
        </button>
        <button id="delete-really" type="submit" className="button danger" onClick={() => snapshot && onDelete(snapshot)}>
          Delete
        </button>
      </form>
    </dialog>
  );
}

/** In the list, Up and Down go from snapshot to snapshot, Right and Left to what can be done with one; Delete deletes it. */
function useListKeys(snapshots: readonly Snapshot[], onDelete: (snapshot: Snapshot) => void) {
  const list = useRef<HTMLUListElement>(null);
  const keys = (event: KeyboardEvent) => {
    const items = [...(list.current?.children ?? [])];
    const row = items.findIndex((item) => item.contains(document.activeElement));
    if (row < 0 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const controls = [...(items[row]?.querySelectorAll<HTMLElement>("button, a") ?? [])];
    const to = placeAfterKey(
      event.key,
      { row, column: controls.indexOf(document.activeElement as HTMLElement) },
      items.length,
      controls.length,
    );
    const snapshot = snapshots[row];
    if (to) {
      items[to.row]?.querySelectorAll<HTMLElement>("button, a")[to.column]?.focus();
    } else if (event.key === "Delete" && snapshot) {
      onDelete(snapshot);
    } else {
      return;
    }
    event.preventDefault();
  };
  return { list, keys };
}

/** The list's one stop of Tab. It follows the snapshot that is shown, and the focus does if it is in the list. */
function useStop(list: RefObject<HTMLUListElement>, snapshots: readonly Snapshot[]) {
  const [visited, setVisited] = useState<SnapshotId | null>(null);
  const shown = snapshots.find(({ selected }) => selected)?.id ?? null;
  useEffect(() => {
    setVisited(shown);
    const item = list.current?.querySelector(".snapshot.selected");
    if (list.current?.contains(document.activeElement) && !item?.contains(document.activeElement)) {
      item?.querySelector<HTMLElement>(".snapshot-choose")?.focus();
    }
  }, [list, shown]);
  const stop = [visited, shown].flatMap((id) => snapshots.find((one) => one.id === id) ?? [])[0];
  return { stop: stop ?? snapshots.find(isDiffable) ?? snapshots[0], setVisited };
}

/** Of files that are imported the last is brought into view: they are behind all others. */
function useLastImportInView(list: RefObject<HTMLUListElement>, snapshots: readonly Snapshot[]) {
  const last = snapshots[snapshots.length - 1];
  const imported = last?.state === SNAPSHOT.IMPORTING ? last.id : null;
  useEffect(() => {
    if (imported !== null) {
      list.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
    }
  }, [list, imported]);
}

export function SnapshotList({ onImport }: { onImport: () => void }) {
  const snapshots = useSee((state) => state.snapshots);
  const diffing = useSee((state) => state.diffing);
  const isSeries = useSee((state) => state.leaks?.state === LEAKS.SELECTING);
  const isPair = diffing?.state === DIFFING.SELECTING;
  const act = useDo();
  const [leaving, setLeaving] = useState<Snapshot | null>(null);
  const leave = (snapshot: Snapshot) => {
    setVisited(neighbourOf(snapshots, snapshot.id)?.id ?? null);
    void act(deleteSnapshot(snapshot.id));
  };
  /** Nothing is lost with what could not be read. */
  const remove = (snapshot: Snapshot) => {
    if (snapshot.state === SNAPSHOT.ERROR) {
      leave(snapshot);
    } else {
      setLeaving(snapshot);
    }
  };
  const { list, keys } = useListKeys(snapshots, remove);
  const { stop, setVisited } = useStop(list, snapshots);
  useLastImportInView(list, snapshots);
  /** The browser gives the focus back to what had it; what is deleted leaves it to the item that is there now. */
  const closeDialog = () => {
    if (leaving && !snapshots.some(({ id }) => id === leaving.id)) {
      (list.current?.querySelector<HTMLElement>("[tabindex='0']") ?? document.getElementById("main"))?.focus();
    }
    setLeaving(null);
  };
  return (
    <nav className="snapshots" aria-label="Snapshots">
      <Targets />
      <h2 className="side-title">{isPair ? "Select two snapshots" : isSeries ? "Select snapshots" : "Snapshots"}</h2>
      {snapshots.length === 0 && <p className="side-empty">Nothing is open. Drop a file here.</p>}
      <ul
        ref={list}
        onKeyDown={keys}
        onFocus={({ target }) => {
          const row = [...(list.current?.children ?? [])].findIndex((item) => item.contains(target));
          setVisited(snapshots[row]?.id ?? null);
        }}
      >
        {snapshots.map((snapshot) => (
          <SnapshotItem key={snapshot.id} snapshot={snapshot} isCurrent={snapshot === stop} onDelete={remove} />
        ))}
      </ul>
      <DeleteDialog snapshot={leaving} onDelete={leave} onClose={closeDialog} />
      <div className="side-foot">
        <button type="button" className="button wide" onClick={onImport}>
          Import files…
        </button>
        <a href={addressText({ view: "settings" })}>Settings</a>
      </div>
    </nav>
  );
}
