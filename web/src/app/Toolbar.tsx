// SPDX-License-Identifier: MIT
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS } from "../logic/displays";
import { useDo, useSee } from "../shared/hooks";
import { isDiffable, VIEW, type Grouping, type ViewState } from "../store/models";
import { selectedSnapshot } from "../store/selectors";
import { toggleDiffing } from "../store/tasks/diffing";
import { setGroupingAndRefresh } from "../store/tasks/dominators";
import { clearSnapshots, takeSnapshotAndCensus, toggleRecordingAllocationStacks } from "../store/tasks/snapshots";
import { changeViewAndRefresh, setCensusDisplayAndRefresh, setFilterAndRefresh, setLabelDisplayAndRefresh } from "../store/tasks/views";

const VIEWS: readonly (readonly [ViewState, string])[] = [
  [VIEW.START, "Start"],
  [VIEW.TREE_MAP, "Tree Map"],
  [VIEW.CENSUS, "Aggregate"],
  [VIEW.DOMINATOR_TREE, "Dominators"],
];

const GROUPINGS: readonly (readonly [Grouping, string, string])[] = [
  ["node", "Each", "Below each node, those that it alone keeps alive"],
  ["class", "By class", "Below each node, the classes of those that it alone keeps alive"],
];

function ViewSelect() {
  const act = useDo();
  const view = useSee((state) => state.view.state);
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

function CensusControls() {
  const act = useDo();
  const display = useSee((state) => state.censusDisplay);
  const filter = useSee((state) => state.filter);
  const custom = useSee((state) => state.preferences.customCensusDisplays);
  const displays = Object.entries({ ...CENSUS_DISPLAYS, ...customDisplays(custom).displays });
  const chosen = displays.find(([, one]) => one.displayName === display.displayName)?.[0] ?? "";
  return (
    <>
      <label className="tool-field">
        <span>Group by</span>
        <select
          id="select-display"
          value={chosen}
          title={display.tooltip}
          onChange={(event) => {
            const wanted = displays.find(([id]) => id === event.target.value)?.[1];
            if (wanted) {
              void act(setCensusDisplayAndRefresh(wanted));
            }
          }}
        >
          {displays.map(([id, one]) => (
            <option key={id} value={id}>
              {one.displayName}
            </option>
          ))}
        </select>
      </label>
      <label className="tool-field check-field">
        <input
          type="checkbox"
          checked={display.inverted}
          onChange={() => void act(setCensusDisplayAndRefresh({ ...display, inverted: !display.inverted }))}
        />
        <span>Invert</span>
      </label>
      <input
        id="filter"
        type="search"
        className="filter"
        placeholder="Filter names, files, functions"
        aria-label="Filter"
        value={filter ?? ""}
        onChange={(event) => void act(setFilterAndRefresh(event.target.value))}
      />
    </>
  );
}

function LabelControls() {
  const act = useDo();
  const display = useSee((state) => state.labelDisplay);
  const chosen = Object.entries(LABEL_DISPLAYS).find(([, one]) => one === display)?.[0];
  return (
    <label className="tool-field">
      <span>Label by</span>
      <select
        id="select-label-display"
        value={chosen}
        onChange={(event) => {
          const wanted = LABEL_DISPLAYS[event.target.value];
          if (wanted) {
            void act(setLabelDisplayAndRefresh(wanted));
          }
        }}
      >
        {Object.entries(LABEL_DISPLAYS).map(([id, one]) => (
          <option key={id} value={id}>
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

/** Of a live heap: the first that the server has. */
function LiveControls() {
  const act = useDo();
  const target = useSee((state) => state.targets[0]);
  const { recording, togglingInProgress } = useSee((state) => state.allocations);
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

export function Toolbar() {
  const act = useDo();
  const view = useSee((state) => state.view.state);
  const snapshots = useSee((state) => state.snapshots);
  const isDiffing = view === VIEW.DIFFING;
  const canDiff = isDiffing || snapshots.filter(isDiffable).length >= 2;
  return (
    <header className="toolbar">
      <a className="brand" href="#/start">
        <span className="brand-mark" aria-hidden="true" />
        ubiheap
      </a>
      {!isDiffing && view !== VIEW.INDIVIDUALS && <ViewSelect />}
      {(view === VIEW.CENSUS || isDiffing) && <CensusControls />}
      {(view === VIEW.DOMINATOR_TREE || view === VIEW.INDIVIDUALS) && <LabelControls />}
      {view === VIEW.DOMINATOR_TREE && <GroupingControls />}
      <span className="toolbar-space" />
      <LiveControls />
      <button
        id="diff-snapshots"
        type="button"
        className="button"
        aria-pressed={isDiffing}
        disabled={!canDiff}
        title="Compare two snapshots"
        onClick={() => void act(toggleDiffing())}
      >
        Diff
      </button>
      <button
        id="clear-snapshots"
        type="button"
        className="button"
        disabled={snapshots.length === 0}
        title="Delete all snapshots that are read"
        onClick={() => void act(clearSnapshots())}
      >
        Clear
      </button>
    </header>
  );
}
