// SPDX-License-Identifier: MIT
// The shell: toolbar, list of snapshots, main panel; files that are dropped anywhere; what the connection is.
import { useEffect, useRef, useState, type DragEvent } from "react";
import { useDo, useSee, useTheme } from "../shared/hooks";
import { ReadAgain } from "../shared/ReadAgain";
import { noticeChanged } from "../store/actions";
import { importFiles } from "../store/tasks/snapshots";
import { selectNeighbour } from "../store/tasks/views";
import { SnapshotList } from "../views/snapshots/SnapshotList";
import { ConnectionBanner } from "./ConnectionBanner";
import { useKeptFocus } from "./focus";
import { ErrorBoundary } from "./ErrorBoundary";
import { Panel } from "./Panel";
import { Toolbar } from "./Toolbar";

function Notice() {
  const act = useDo();
  const notice = useSee((state) => state.notice);
  return notice === null ? null : (
    <p className="banner" role="alert">
      {notice} <ReadAgain error={notice} />{" "}
      <button type="button" className="link-button" onClick={() => act(noticeChanged(null))}>
        Close
      </button>
    </p>
  );
}

/** Ctrl+Up and Ctrl+Down select the snapshot before and behind. */
function useSnapshotKeys() {
  const act = useDo();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
      if (step && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void act(selectNeighbour(step));
      }
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [act]);
}

export function App() {
  const act = useDo();
  const theme = useTheme();
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  useSnapshotKeys();
  useKeptFocus();
  useEffect(() => document.documentElement.setAttribute("data-theme", theme), [theme]);
  const pick = () => picker.current?.click();
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void act(importFiles([...event.dataTransfer.files]));
  };
  return (
    <div
      className={isOver ? "app over" : "app"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget === event.target && setOver(false)}
      onDrop={dropped}
    >
      <Toolbar />
      <ConnectionBanner />
      <Notice />
      <div className="body">
        <SnapshotList onImport={pick} />
        <ErrorBoundary>
          <Panel onImport={pick} />
        </ErrorBoundary>
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to import"
        onChange={(event) => {
          void act(importFiles([...(event.target.files ?? [])]));
          event.target.value = "";
        }}
      />
      {isOver && (
        <div className="drop-hint" aria-hidden="true">
          Drop heap snapshots, recordings or timelines
        </div>
      )}
    </div>
  );
}
