// SPDX-License-Identifier: MIT
// The programs that run: which of them snapshots are taken of, and how it records stacks.
import { useDo, useSee } from "../../shared/hooks";
import { chooseTarget, setRecordingOptions } from "../../store/actions";
import { allocationsOf, chosenTarget } from "../../store/selectors";
import type { LiveTarget } from "../../types/heap";

const LINKS: Record<LiveTarget["link"], string> = {
  here: "in this process",
  ended: "has ended; its heap is still here",
  idle: "not asked yet",
  connected: "connected",
  lost: "not reached",
};

const MOST_LOGGED = 1_000_000;

function TargetLine({ target, isChosen }: { target: LiveTarget; isChosen: boolean }) {
  const act = useDo();
  const { recording, togglingInProgress } = useSee((state) => allocationsOf(state, target.id));
  const doing = togglingInProgress ? "switching…" : recording ? "records stacks" : "";
  return (
    <label className={isChosen ? "target chosen" : "target"} title={target.fault ?? target.name}>
      <input type="radio" name="target" checked={isChosen} onChange={() => act(chooseTarget(target.id))} />
      <span className="snapshot-lines">
        <span className="snapshot-title">{target.name}</span>
        <span className={target.fault ? "snapshot-line snapshot-error" : "snapshot-line"}>
          {target.fault ?? [LINKS[target.link], doing].filter(Boolean).join(" · ")}
        </span>
      </span>
    </label>
  );
}

function RecordingOptions({ target }: { target: LiveTarget }) {
  const act = useDo();
  const { recording, togglingInProgress, probability, maxLogLength } = useSee((state) => allocationsOf(state, target.id));
  const isFixed = recording || togglingInProgress;
  return (
    <details className="recording-options">
      <summary>How stacks are recorded</summary>
      <label
        className="field"
        title="Of so many objects in a hundred it is recorded where they were allocated: fewer slow the program down less"
      >
        <span>Objects in a hundred</span>
        <input
          type="number"
          min={0.1}
          max={100}
          step="any"
          disabled={isFixed}
          value={Number((probability * 100).toPrecision(6))}
          onChange={({ target: { valueAsNumber: percent } }) => {
            if (percent > 0 && percent <= 100) {
              act(setRecordingOptions({ target: target.id, probability: percent / 100 }));
            }
          }}
        />
      </label>
      <label className="field" title="Allocations that the program keeps a list of, besides what snapshots have">
        <span>Allocations in its log, at most</span>
        <input
          type="number"
          min={1}
          max={MOST_LOGGED}
          disabled={isFixed}
          value={maxLogLength}
          onChange={({ target: { valueAsNumber: length } }) => {
            if (length >= 1 && length <= MOST_LOGGED) {
              act(setRecordingOptions({ target: target.id, maxLogLength: Math.round(length) }));
            }
          }}
        />
      </label>
      {isFixed && <p className="side-note">To change these, stop recording first.</p>}
    </details>
  );
}

export function Targets() {
  const targets = useSee((state) => state.targets);
  const chosen = useSee(chosenTarget);
  if (!chosen) {
    return null;
  }
  return (
    <section className="targets" aria-label="Programs that run">
      <h2 className="side-title">{targets.length > 1 ? "Programs" : "Program"}</h2>
      <div role="radiogroup" aria-label="Snapshots are taken of">
        {targets.map((target) => (
          <TargetLine key={target.id} target={target} isChosen={target.id === chosen.id} />
        ))}
      </div>
      {chosen.canRecord && <RecordingOptions target={chosen} />}
    </section>
  );
}
