// SPDX-License-Identifier: MIT
// What a program holds on to between snapshots: what it is, how it grew, and who holds it.
import { commandText } from "../../logic/commands";
import { formatNumber } from "../../logic/format";
import { clusterCells, countedWords, doubtsOf, growthWords, headlineWords, misfitWords, type Leaks as Report } from "../../logic/leaks";
import { Bars } from "../../shared/Bars";
import { CopyMenu } from "../../shared/CopyMenu";
import { useDo, useSee } from "../../shared/hooks";
import { Empty, Failure } from "../../shared/Status";
import { LEAKS, type LeaksModel, type Snapshot } from "../../store/models";
import { comparableOf, snapshotOf, titleAmong } from "../../store/selectors";
import { chooseAllForLeaks, findLeaks, showLeaks } from "../../store/tasks/leaks";
import { Clusters, type Sides } from "./Clusters";
import { GrownObjects } from "./GrownObjects";

function Choosing({ leaks }: { leaks: LeaksModel }) {
  const act = useDo();
  const count = leaks.ids.length;
  const all = useSee((state) => comparableOf(state).length);
  return (
    <Empty title="Select two snapshots or more">
      <p>Choose at the left snapshots of one run of a program, each taken after the same work. Three tell more than two.</p>
      <button type="button" className="button primary" disabled={count < 2} onClick={() => void act(findLeaks())}>
        {count < 2 ? "Find what leaks" : `Find what leaks in ${formatNumber(count)} snapshots`}
      </button>
      {count < all && (
        <button type="button" className="button" onClick={() => act(chooseAllForLeaks())}>
          Select all {formatNumber(all)}
        </button>
      )}
    </Empty>
  );
}

/** Files that show nothing together: why, and that one may look anyway. */
function Incomparable({ report, ids }: { report: Report; ids: LeaksModel["ids"] }) {
  const act = useDo();
  const fitting = ids.filter((_, at) => report.heaps[at]?.fit === "fits");
  const isSame = report.heaps.every(({ fit }) => fit !== "other process");
  return (
    <Failure words="These snapshots cannot be compared." error={misfitWords(report).join("\n")}>
      <p>
        {isSame
          ? "A program that leaks nothing would look the same: take another snapshot, after the same work."
          : "Only snapshots of one run of a program show what it holds on to."}
      </p>
      {fitting.length > 1 && fitting.length < ids.length && (
        <button type="button" className="button primary" onClick={() => void act(showLeaks(fitting))}>
          Compare the {formatNumber(fitting.length)} that fit
        </button>
      )}
      <button type="button" className="button" onClick={() => void act(findLeaks({ allowsOtherProcess: true }))}>
        Compare them anyway
      </button>
    </Failure>
  );
}

function Head({ report, names }: { report: Report; names: string[] }) {
  const words = [headlineWords(report), growthWords(report)];
  const bytes = report.heaps.map((heap) => heap.bytes);
  return (
    <div className="headline">
      <Bars series={{ values: bytes, words: `Bytes in each snapshot: ${bytes.map((one) => formatNumber(one)).join(", ")}` }} />
      <div className="headline-words">
        <h1>{words[0]}</h1>
        <p>{words[1]}</p>
      </div>
      <CopyMenu
        command={commandText("leaks", ...names)}
        rows={() => clusterCells(report)}
        json={() => report}
        text={() => [...words, ...report.clusters.map((one) => `- ${one.count} × ${one.className}: ${one.path}`)].join("\n")}
      />
    </div>
  );
}

function useSides(leaks: LeaksModel): Sides {
  const [first, last] = [leaks.ids[0], leaks.ids[leaks.ids.length - 1]];
  const path = (snapshot: Snapshot | null) => snapshot?.path ?? null;
  return {
    anyway: leaks.allowsOtherProcess ? "1" : "",
    oldest: useSee((state) => path(snapshotOf(state, first ?? null))),
    newest: useSee((state) => path(snapshotOf(state, last ?? null))),
  };
}

export function Leaks({ leaks }: { leaks: LeaksModel }) {
  const act = useDo();
  const sides = useSides(leaks);
  const snapshots = useSee((state) => state.snapshots);
  const { report } = leaks;
  if (leaks.state === LEAKS.SELECTING) {
    return <Choosing leaks={leaks} />;
  }
  if (!report) {
    return null;
  }
  if (!report.comparable) {
    return <Incomparable report={report} ids={leaks.ids} />;
  }
  const own = leaks.ids.flatMap((id) => snapshots.find((one) => one.id === id) ?? []);
  const doubts = doubtsOf(report);
  const held = report.clusters.filter((cluster) => cluster.isLeak);
  const others = report.clusters.filter((cluster) => !cluster.isLeak);
  const missing = report.clusterCount - report.clusters.length;
  return (
    <div className="start">
      <Head report={report} names={own.map(({ name }) => name)} />
      <p className="leaks-series muted">{own.map((one) => titleAmong(snapshots, one)).join(" → ")}</p>
      {doubts.length > 0 && (
        <ul className="doubts">
          {doubts.map((doubt) => (
            <li key={doubt}>{doubt}</li>
          ))}
        </ul>
      )}
      <Clusters
        title="What is held"
        note={`Objects that came and stayed, by class and by who holds them${countedWords(report)}`}
        none="No new objects are held in a way that looks like a leak."
        clusters={held}
        sides={sides}
      />
      {report.grown.length > 0 && <GrownObjects grown={report.grown} clusters={report.clusters} sides={sides} />}
      {others.length > 0 && (
        <Clusters title="Probably no leak" note="Caches that are full, and what is replaced" clusters={others} sides={sides} />
      )}
      {missing > 0 && (
        <button
          type="button"
          className="button"
          onClick={() => void act(findLeaks({ allowsOtherProcess: leaks.allowsOtherProcess, isWhole: true }))}
        >
          Show {formatNumber(missing)} more
        </button>
      )}
    </div>
  );
}
