// SPDX-License-Identifier: MIT
// The main panel: what the state of the view's model asks for.
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useDo, useSee } from "../shared/hooks";
import { Empty, Failure, Working } from "../shared/Status";
import { formatNumber } from "../logic/format";
import { isAboutOrder, isCancelled, plainError } from "../logic/leaks";
import { isUnanswered } from "../logic/unanswered";
import { DIFFING, DOMINATORS, INDIVIDUALS, LEAKS, SNAPSHOT, VIEW, type Snapshot, type SnapshotId } from "../store/models";
import { chosenTarget, isBusy, selectedSnapshot, shownState, snapshotOf, stateWords, titleAmong } from "../store/selectors";
import { cancelLeaks, findLeaks, showLeaks } from "../store/tasks/leaks";
import { cancelSnapshot, takeSnapshotAndCensus } from "../store/tasks/snapshots";
import { Census } from "../views/census/Census";
import { Diff } from "../views/diff/Diff";
import { Dominators } from "../views/dominators/Dominators";
import { Leaks } from "../views/leaks/Leaks";
import { Individuals } from "../views/individuals/Individuals";
import { ObjectPage } from "../views/object/ObjectPage";
import { Settings } from "../views/settings/Settings";
import { Start, StartBegun } from "../views/start/Start";
import { Summary } from "../views/summary/Summary";
import { TreeMap } from "../views/tree-map/TreeMap";
import { isForLooking } from "../store/tasks/census";

function Welcome({ onImport }: { onImport: () => void }) {
  const act = useDo();
  const target = useSee(chosenTarget);
  const isEmpty = useSee((state) => state.snapshots.length === 0);
  return (
    <Empty title={isEmpty ? "Look into a heap" : "Choose a snapshot"}>
      <p>
        {isEmpty
          ? "Drop heap snapshots of Firefox, Chrome or Node.js here: .fxsnapshot, .heapsnapshot, .heaptimeline, also .gz, several at once. They go to the ubiheap server of this page, and nowhere else."
          : "Choose one at the left, or drop another file here."}
      </p>
      {target ? (
        <>
          <button type="button" className="button primary" onClick={() => void act(takeSnapshotAndCensus(target.id))}>
            Take a snapshot of {target.name}
          </button>
          <button type="button" className="button" onClick={onImport}>
            Import files…
          </button>
        </>
      ) : (
        <button type="button" className="button primary" onClick={onImport}>
          Import files…
        </button>
      )}
    </Empty>
  );
}

const isLoading = (state: string) => isBusy(state) || state === SNAPSHOT.SAVED;

function errorOf(snapshot: Snapshot | null, view: string): string | null {
  if (snapshot?.state === SNAPSHOT.ERROR) {
    return snapshot.error;
  }
  const models = {
    [VIEW.START as string]: snapshot?.report,
    [VIEW.CENSUS]: snapshot?.census,
    [VIEW.SUMMARY]: snapshot?.summary,
    [VIEW.TREE_MAP]: snapshot?.treeMap,
    [VIEW.DOMINATOR_TREE]: snapshot?.dominatorTree,
  };
  return models[view]?.error ?? null;
}

function Shown({ snapshot }: { snapshot: Snapshot }) {
  const view = useSee((state) => state.view.state);
  const objects = useSee((state) => state.objects);
  if (view === VIEW.OBJECT) {
    const object = objects.open.find((one) => one.id === snapshot.id && one.nodeId === objects.shown);
    return object ? <ObjectPage key={object.nodeId} snapshot={snapshot} object={object} /> : <Empty title="No object is open" />;
  }
  if (snapshot.kind !== "heap" || view === VIEW.START) {
    return <Start snapshot={snapshot} />;
  }
  if (view === VIEW.CENSUS && snapshot.census) {
    return <Census snapshot={snapshot} census={snapshot.census} />;
  }
  if (view === VIEW.SUMMARY && snapshot.summary) {
    return <Summary snapshot={snapshot} summary={snapshot.summary} />;
  }
  if (view === VIEW.TREE_MAP && snapshot.treeMap?.report && isForLooking(snapshot.treeMap.report)) {
    return <TreeMap key={snapshot.id} snapshot={snapshot} report={snapshot.treeMap.report} />;
  }
  if (view === VIEW.DOMINATOR_TREE && snapshot.dominatorTree?.root) {
    return <Dominators snapshot={snapshot} tree={snapshot.dominatorTree} />;
  }
  return <Working words="Reading the snapshot…" progress={snapshot.progress} />;
}

const NONE: readonly SnapshotId[] = [];

function LeaksFailure({ error }: { error: string }) {
  const act = useDo();
  const ids = useSee((state) => state.leaks?.ids ?? NONE);
  const snapshots = useSee((state) => state.snapshots);
  const readable = ids.filter((id) => snapshots.some((one) => one.id === id && one.state !== SNAPSHOT.ERROR));
  return (
    <Failure words={stateWords(LEAKS.ERROR).long} error={plainError(error)}>
      {isAboutOrder(error) ? (
        <button type="button" className="button primary" onClick={() => void act(findLeaks({ isReordered: true }))}>
          Put them into that order
        </button>
      ) : readable.length < ids.length ? (
        readable.length > 1 && (
          <button type="button" className="button primary" onClick={() => void act(showLeaks(readable))}>
            Compare the {formatNumber(readable.length)} that can be read
          </button>
        )
      ) : (
        (isUnanswered(error) || isCancelled(error)) && (
          <button type="button" className="button" onClick={() => void act(findLeaks())}>
            Try again
          </button>
        )
      )}
    </Failure>
  );
}

const HAVE_HEADINGS = new Set<string>([VIEW.START, VIEW.OBJECT, VIEW.SETTINGS]);
const VIEW_WORDS: Record<string, string> = {
  [VIEW.TREE_MAP]: "Tree map",
  [VIEW.CENSUS]: "Aggregate",
  [VIEW.SUMMARY]: "Summary",
  [VIEW.DOMINATOR_TREE]: "Dominators",
  [VIEW.DIFFING]: "Difference",
  [VIEW.LEAKS]: "Leaks",
  [VIEW.INDIVIDUALS]: "Objects of a row",
};
const PATIENCE_MS = 250;

/** While something is being done that is done soon, what was shown stays: a table that is sorted keeps its place and its focus. */
function usePatience(content: ReactNode, isWorking: boolean, key: string): ReactNode {
  const last = useRef({ content, key });
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    const timer = isWorking ? setTimeout(() => setLate(true), PATIENCE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isWorking, key]);
  const isKept = isWorking && !isLate && last.current.key === key;
  useEffect(() => {
    if (!isWorking) {
      last.current = { content, key };
    }
  });
  return isKept ? last.current.content : content;
}

export function Panel({ onImport }: { onImport: () => void }) {
  const act = useDo();
  const state = useSee(shownState);
  const view = useSee((whole) => whole.view.state);
  const diffing = useSee((whole) => whole.diffing);
  const individuals = useSee((whole) => whole.individuals);
  const leaks = useSee((whole) => whole.leaks);
  const own = useSee((whole) => snapshotOf(whole, whole.individuals?.id ?? null));
  const snapshot = useSee(selectedSnapshot);
  const title = useSee(({ snapshots }) => snapshot && titleAmong(snapshots, snapshot));

  function content() {
    if (view === VIEW.SETTINGS) {
      return <Settings />;
    }
    // A map that is drawn again in another size stays meanwhile, and so does a tree that gets more nodes.
    const isKept = (view === VIEW.TREE_MAP && snapshot?.treeMap?.report) || state === DOMINATORS.INCREMENTAL_FETCHING;
    const hasModel = diffing || individuals || leaks || snapshot;
    if (!hasModel) {
      return state === "loading" ? <Working words="Asking the server what is open…" progress={null} /> : <Welcome onImport={onImport} />;
    }
    if (leaks?.state === LEAKS.FINDING) {
      return <Working words={stateWords(state).long} progress={leaks.progress} onCancel={() => act(cancelLeaks())} />;
    }
    if (leaks) {
      return leaks.error === null ? <Leaks leaks={leaks} /> : <LeaksFailure error={leaks.error} />;
    }
    if (isLoading(state) && !isKept && state !== DIFFING.SELECTING) {
      const onCancel = snapshot ? () => void act(cancelSnapshot(snapshot.id)) : undefined;
      const working = <Working words={stateWords(state).long} progress={snapshot?.progress ?? null} onCancel={onCancel} />;
      return view === VIEW.START && snapshot?.info ? <StartBegun snapshot={snapshot} info={snapshot.info} working={working} /> : working;
    }
    if (state.endsWith("error")) {
      const error = diffing?.error ?? individuals?.error ?? errorOf(snapshot, view);
      const name = (own ?? snapshot)?.name;
      return name && state === SNAPSHOT.ERROR ? (
        <Failure words={`${name} could not be read.`} error={error} />
      ) : (
        <Failure words={stateWords(state).long} of={name} error={error} />
      );
    }
    if (diffing) {
      return <Diff diffing={diffing} />;
    }
    if (individuals) {
      return own && individuals.state === INDIVIDUALS.FETCHED ? <Individuals snapshot={own} individuals={individuals} /> : null;
    }
    return snapshot && <Shown snapshot={snapshot} />;
  }

  const patient = usePatience(content(), isLoading(state), `${view} ${snapshot?.id ?? ""}`);
  return (
    <main className="main" data-state={state} id="main" tabIndex={-1}>
      {!HAVE_HEADINGS.has(view) && <h1 className="unseen">{snapshot ? `${VIEW_WORDS[view]} of ${title}` : VIEW_WORDS[view]}</h1>}
      {patient}
    </main>
  );
}
