// SPDX-License-Identifier: MIT
import { useRef } from "react";
import { offeredDisplays, type KnownDisplays } from "../logic/address_displays";
import { plural } from "../logic/format";
import type { CensusDisplay, LabelDisplay, TreeMapDisplay } from "../types/breakdown";
import { useDo, useSee } from "../shared/hooks";
import { isClearable, isDiffable, VIEW, type Grouping, type ViewState } from "../store/models";
import { allocationsOf, censusDisplaysOf, chosenTarget, labelDisplaysOf, selectedSnapshot, treeMapDisplaysOf } from "../store/selectors";
import { toggleDiffing } from "../store/tasks/diffing";
import { setGroupingAndRefresh } from "../store/tasks/dominators";
import { toggleLeaks } from "../store/tasks/leaks";
import { clearSnapshots, takeSnapshotAndCensus, toggleRecordingAllocationStacks } from "../store/tasks/snapshots";
import {
  changeViewAndRefresh,
  setCensusDisplayAndRefresh,
  setFilterAndRefresh,
  setLabelDisplayAndRefresh,
  setTreeMapDisplayAndRefresh,
} from "../store/tasks/views";

const VIEWS: readonly (readonly [ViewState, string])[] = [
  [VIEW.START, "Start"],
  [VIEW.TREE_MAP, "Tree Map"],
  [VIEW.CENSUS, "Aggregate"],
  [VIEW.SUMMARY, "Summary"],
  [VIEW.DOMINATOR_TREE, "Dominators"],
];

const GROUPINGS: readonly (readonly [Grouping, string, string])[] = [
  ["node", "Each", "Below each node, those that it alone keeps alive"],
  ["class", "By class", "Below each node, the classes of those that it alone keeps alive"],
];

function ViewSelect() {
  const act = useDo();
  const view = useSee((state) => state.view.state);
  const snapshot = useSee(selectedSnapshot);
  if (snapshot && snapshot.kind !== "heap") {
    return null; // it has a report, which is shown whatever the view
  }
  return (
    <div className="segments" role="group" aria-label="View" id="select-view">
      {VIEWS.map(([id, name]) => (
        <button key={id} type="button" aria-pressed={view === id} onClick={() => void act(changeViewAndRefresh(id))}>
          {name}
        </button>
      ))}
    </div>
  );
}

function FilterField({ words }: { words: string }) {
  const act = useDo();
  const filter = useSee((state) => state.filter);
  return (
    <input
      id="filter"
      type="search"
      className={filter ? "filter active" : "filter"}
      placeholder={words}
      aria-label="Filter"
      value={filter ?? ""}
      onChange={(event) => void act(setFilterAndRefresh(event.target.value))}
    />
  );
}

function CensusControls() {
  const act = useDo();
  const display = useSee((state) => state.censusDisplay);
  const known = useSee(censusDisplaysOf);
  const isByClass = useSee((state) => state.diffing?.byClass ?? null) !== null;
  const choose = (wanted: CensusDisplay) => void act(setCensusDisplayAndRefresh(wanted));
  const groups = (
    <>
      <DisplaySelect id="select-display" label="Group by" known={known} chosen={display} onChoose={choose} />
      <label className="tool-field check-field">
        <input
          type="checkbox"
          checked={display.inverted}
          onChange={() => void act(setCensusDisplayAndRefresh({ ...display, inverted: !display.inverted }))}
        />
        <span>Invert</span>
      </label>
    </>
  );
  return (
    <>
      {!isByClass && groups}
      <FilterField words="Filter names, files, functions" />
    </>
  );
}

interface ChoiceProps<Display> {
  id: string;
  label: string;
  known: KnownDisplays<Display>;
  chosen: Display;
  onChoose(display: Display): void;
}

/** One of some displays, by name: the one that is shown may be another object of that name. */
function DisplaySelect<Display extends LabelDisplay>({ id, label, known, chosen, onChoose }: ChoiceProps<Display>) {
  const displays = offeredDisplays(known, chosen);
  const value = Object.entries(displays).find(([, one]) => one.displayName === chosen.displayName)?.[0] ?? "";
  return (
    <label className="tool-field">
      <span>{label}</span>
      <select
        id={id}
        value={value}
        title={chosen.tooltip}
        onChange={(event) => {
          const wanted = displays[event.target.value];
          if (wanted) {
            onChoose(wanted);
          }
        }}
      >
        {Object.entries(displays).map(([name, one]) => (
          <option key={name} value={name}>
            {one.displayName}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Whether what a node dominates is listed one by one, or by class. */
function GroupingControls() {
  const act = useDo();
  const grouping = useSee((state) => state.grouping);
  const snapshot = useSee(selectedSnapshot);
  return (
    <div className="segments" role="group" aria-label="What is below a node" id="select-grouping">
      {GROUPINGS.map(([id, name, help]) => (
        <button
          key={id}
          type="button"
          title={help}
          aria-pressed={grouping === id}
          onClick={() => snapshot && void act(setGroupingAndRefresh(snapshot.id, id))}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function LabelControls() {
  const act = useDo();
  const display = useSee((state) => state.labelDisplay);
  const known = useSee(labelDisplaysOf);
  const choose = (wanted: LabelDisplay) => void act(setLabelDisplayAndRefresh(wanted));
  return <DisplaySelect id="select-label-display" label="Label by" known={known} chosen={display} onChoose={choose} />;
}

/** Only where there is more than one. */
function TreeMapControls() {
  const act = useDo();
  const display = useSee((state) => state.treeMapDisplay);
  const known = useSee(treeMapDisplaysOf);
  const choose = (wanted: TreeMapDisplay) => void act(setTreeMapDisplayAndRefresh(wanted));
  return Object.keys(offeredDisplays(known, display)).length > 1 ? (
    <DisplaySelect id="select-tree-map-display" label="Group by" known={known} chosen={display} onChoose={choose} />
  ) : null;
}

/** Of the live heap that is chosen at the left. */
function LiveControls() {
  const act = useDo();
  const target = useSee(chosenTarget);
  const { recording, togglingInProgress } = useSee((state) => allocationsOf(state, target?.id ?? ""));
  if (!target) {
    return null;
  }
  return (
    <>
      {target.canRecord && (
        <label
          className="tool-field check-field"
          title="Snapshots then say where objects were allocated. It slows the program down, and only objects that are made while it is on have a stack."
        >
          <input
            id="record-allocation-stacks-checkbox"
            type="checkbox"
            checked={recording}
            disabled={togglingInProgress}
            onChange={() => void act(toggleRecordingAllocationStacks(target.id))}
          />
          <span>Record stacks</span>
        </label>
      )}
      <button
        id="take-snapshot"
        type="button"
        className="button"
        title={target.fault ?? `Of ${target.name}`}
        onClick={() => void act(takeSnapshotAndCensus(target.id))}
      >
        Take snapshot
      </button>
    </>
  );
}

function ViewControls({ view }: { view: ViewState }) {
  return (
    <>
      {(view === VIEW.CENSUS || view === VIEW.DIFFING) && <CensusControls />}
      {view === VIEW.SUMMARY && <FilterField words="Filter names of classes" />}
      {view === VIEW.TREE_MAP && <TreeMapControls />}
      {(view === VIEW.DOMINATOR_TREE || view === VIEW.INDIVIDUALS) && <LabelControls />}
      {view === VIEW.DOMINATOR_TREE && <GroupingControls />}
    </>
  );
}

/** Says what is lost, and asks. */
function ClearButton() {
  const act = useDo();
  const dialog = useRef<HTMLDialogElement>(null);
  const count = useSee((state) => state.snapshots.filter(isClearable).length);
  return (
    <>
      <button
        id="clear-snapshots"
        type="button"
        className="button"
        disabled={count === 0}
        title="Take all snapshots that are read off the list"
        onClick={() => dialog.current?.showModal()}
      >
        Clear
      </button>
      <dialog ref={dialog} className="dialog" aria-labelledby="clear-title">
        <h2 id="clear-title">Take {plural(count, "snapshot")} off the list?</h2>
        <p>What was imported or taken here is deleted on the server. Files that the server was started with stay where they are.</p>
        <form method="dialog" className="dialog-buttons">
          <button type="submit" className="button">
            Cancel
          </button>
          <button id="clear-really" type="submit" className="button danger" onClick={() => void act(clearSnapshots())}>
            Clear
          </button>
        </form>
      </dialog>
    </>
  );
}

export function Toolbar() {
  const act = useDo();
  const view = useSee((state) => state.view.state);
  const snapshots = useSee((state) => state.snapshots);
  const isHeap = useSee((state) => (selectedSnapshot(state)?.kind ?? "heap") === "heap");
  const isDiffing = view === VIEW.DIFFING;
  const isLeaks = view === VIEW.LEAKS;
  const hasTwo = snapshots.filter(isDiffable).length >= 2;
  return (
    <header className="toolbar">
      <a className="brand" href="#/start">
        <span className="brand-mark" aria-hidden="true" />
        ubiheap
      </a>
      {!isDiffing && !isLeaks && view !== VIEW.INDIVIDUALS && <ViewSelect />}
      {isHeap && <ViewControls view={view} />}
      <span className="toolbar-space" />
      <LiveControls />
      <button
        id="diff-snapshots"
        type="button"
        className="button"
        aria-pressed={isDiffing}
        disabled={!isDiffing && !hasTwo}
        title="Compare two snapshots"
        onClick={() => void act(toggleDiffing())}
      >
        Diff
      </button>
      <button
        id="find-leaks"
        type="button"
        className="button"
        aria-pressed={isLeaks}
        disabled={!isLeaks && !hasTwo}
        title="Look in several snapshots for what stays and grows"
        onClick={() => void act(toggleLeaks())}
      >
        Leaks
      </button>
      <ClearButton />
    </header>
  );
}
