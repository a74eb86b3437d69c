// SPDX-License-Identifier: MIT
// What matters about a heap, on one page: its size, what was found, who keeps it. Each thing leads to its evidence.
import type { ReactNode } from "react";
import { commandText } from "../../logic/commands";
import { exportFormats } from "../../logic/exports";
import { formatNumber, formatSize, formatTime, percentOf, plural } from "../../logic/format";
import { frameParts } from "../../logic/names";
import { CopyMenu } from "../../shared/CopyMenu";
import type { Snapshot } from "../../store/models";
import { serverWordOf } from "../../store/selectors";
import { exportRecording } from "../../store/tasks/exports";
import type { Documents } from "../../types/documents";
import type { HeapPath } from "../../types/heap";
import { useAddress, useDo, useSee } from "../../shared/hooks";
import { Menu } from "../../shared/Menu";

type Report = Documents["ubiheap.report/1"];

const PARTS = [
  ["objects", "Objects"],
  ["strings", "Strings"],
  ["scripts", "Scripts"],
  ["domNode", "DOM nodes"],
  ["other", "Other"],
] as const;

const SHOWN_KINDS = 10;
const SHOWN_FINDINGS = 12;
const SHOWN_FUNCTIONS = 8;

function percentText(part: number, whole: number): string {
  const percent = percentOf(part, whole);
  return percent >= 10 ? `${percent.toFixed(0)}%` : `${percent.toFixed(1)}%`;
}

function Section({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        {note && <p>{note}</p>}
      </header>
      {children}
    </section>
  );
}

type Info = NonNullable<Snapshot["info"]>;

function Headline({ name, facts, children }: { name: string; facts: Report | Info; children?: ReactNode }) {
  const made = [facts.producer && `a heap of ${facts.producer}`, facts.creationTimeUs !== null && formatTime(facts.creationTimeUs)];
  return (
    <div className="headline">
      <div className="headline-size">{formatSize("totalSize" in facts ? facts.totalSize : facts.reachable.bytes)}</div>
      <div className="headline-words">
        <h1>{name}</h1>
        <p>
          {plural(facts.nodeCount, "thing")} and {plural(facts.edgeCount, "reference")}
          {made.filter(Boolean).map((text) => (
            <span key={String(text)}> · {text}</span>
          ))}
        </p>
      </div>
      {children}
    </div>
  );
}

/** What is known as soon as a heap is read, above the work that finds the rest. */
export function StartBegun({ snapshot, info, working }: { snapshot: Snapshot; info: Info; working: ReactNode }) {
  return (
    <div className="start">
      <Headline name={snapshot.name} facts={info} />
      {working}
    </div>
  );
}

function headlineText(snapshot: Snapshot, report: Report): string {
  const lines = [`${snapshot.name}: ${formatSize(report.totalSize)} in ${plural(report.nodeCount, "thing")}`];
  return [...lines, ...report.findings.map(({ text }) => `- ${text}`)].join("\n");
}

/** One bar of what the heap is made of. */
function Parts({ report, heap }: { report: Report; heap: HeapPath }) {
  const address = useAddress();
  const whole = report.reachable.bytes;
  const parts = PARTS.map(([id, name]) => ({ id, name, ...report.coarseTypes[id] })).filter((part) => part.count > 0);
  return (
    <div className="parts">
      <div className="parts-bar" aria-hidden="true">
        {parts.map(({ id, bytes }) => (
          <span key={id} className={`part-colour ${id}`} style={{ flexGrow: bytes, flexBasis: 0 }} />
        ))}
      </div>
      <ul className="parts-legend">
        {parts.map(({ id, name, bytes, count }) => (
          <li key={id}>
            <a href={address({ view: "tree-map", heap })} title={plural(count, "thing")}>
              <span className={`part-mark part-colour ${id}`} aria-hidden="true" />
              {name} <strong>{formatSize(bytes)}</strong> <span className="muted">{percentText(bytes, whole)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Findings({ report, heap }: { report: Report; heap: HeapPath }) {
  const address = useAddress();
  if (report.findings.length === 0) {
    return <p className="card-empty">Nothing looks odd. That does not mean that nothing leaks: compare two snapshots to see what grows.</p>;
  }
  return (
    <ol className="findings">
      {report.findings.slice(0, SHOWN_FINDINGS).map((finding, at) => (
        <li key={at} className={finding.bytes ? "finding saving" : "finding"}>
          <div className="finding-size">{finding.bytes ? formatSize(finding.bytes) : ""}</div>
          <div>
            <p className="finding-title">{capital(finding.title ?? finding.rule)}</p>
            <p className="finding-text">{finding.text}</p>
            {finding.heldBy && <p className="finding-way">Held by {finding.heldBy}</p>}
            {finding.pathText && <p className="finding-way">{finding.pathText}</p>}
          </div>
          {finding.nodeId !== undefined && (
            <a className="button small" href={address({ view: "object", heap, node: finding.pathTo ?? finding.nodeId })}>
              Show an example
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

function Keepers({ report, heap }: { report: Report; heap: HeapPath }) {
  const address = useAddress();
  return (
    <ol className="rows keepers">
      {report.keepers.slice(0, report.keepersShown).map((keeper) => (
        <li key={keeper.nodeId}>
          <a href={address({ view: "object", heap, node: keeper.nodeId })}>
            <span className="row-share" style={{ width: `${percentOf(keeper.retainedSize, report.totalSize)}%` }} aria-hidden="true" />
            <span className="row-size">{formatSize(keeper.retainedSize)}</span>
            <span className="row-percent">{percentText(keeper.retainedSize, report.totalSize)}</span>
            <span className="row-words">
              <strong>{keeper.displayName}</strong>
              {keeper.held && (
                <span className="muted">
                  {" "}
                  keeps {formatNumber(keeper.held.count)} × {keeper.held.displayName}
                </span>
              )}
              {keeper.pathText && <span className="row-way">{keeper.pathText}</span>}
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}

function Kinds({ report, heap }: { report: Report; heap: HeapPath }) {
  const address = useAddress();
  const largest = report.kinds[0]?.bytes ?? 1;
  return (
    <ol className="rows kinds">
      {report.kinds.slice(0, SHOWN_KINDS).map((kind) => (
        <li key={`${kind.coarseType} ${kind.displayName}`}>
          <a href={address({ view: "individuals", heap, kind: kind.displayName })} title="Lists its objects">
            <span className="row-share" style={{ width: `${percentOf(kind.bytes, largest)}%` }} aria-hidden="true" />
            <span className="row-size">{formatSize(kind.bytes)}</span>
            <span className="row-percent">{formatNumber(kind.count)} ×</span>
            <span className="row-words">{kind.displayName}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

function Functions({ report, heap }: { report: Report; heap: HeapPath }) {
  const address = useAddress();
  return (
    <ol className="rows">
      {report.allocatedBy.slice(0, SHOWN_FUNCTIONS).map(({ frame, bytes, count }, at) => {
        const { functionName, file, place } = frameParts(frame);
        const filter = frame.functionDisplayName ?? frame.source;
        return (
          <li key={at}>
            <a href={address({ view: "census", heap, display: "invertedAllocationStack", filter })} title={frame.source}>
              <span className="row-size">{formatSize(bytes)}</span>
              <span className="row-percent">{formatNumber(count)} ×</span>
              <span className="row-words">
                <strong>{functionName}</strong>{" "}
                <span className="muted">
                  {file}:{place}
                </span>
              </span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}

function saveFile(file: Blob, name: string): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What there is of a recording or a timeline besides its report. */
function RecordingLinks({ snapshot }: { snapshot: Snapshot }) {
  const act = useDo();
  const { id, kind } = snapshot;
  const word = useSee((state) => serverWordOf(state, snapshot));
  const items = exportFormats(kind).map((format) => ({
    label: format.words,
    detail: format.ending,
    act: () => void act(exportRecording(id, format, saveFile)),
  }));
  return (
    <>
      {kind === "recording" && (
        <a className="button" href={`/api/1/heaps/${encodeURIComponent(word)}/flamegraph?format=page`} target="_blank" rel="noreferrer">
          Flame graph ↗
        </a>
      )}
      <Menu label="Export" items={items} />
    </>
  );
}

export function Start({ snapshot }: { snapshot: Snapshot }) {
  const address = useAddress();
  const { report, path } = snapshot;
  const heap = path ?? "";
  if (report?.text) {
    const { text } = report;
    return (
      <div className="start">
        <div className="headline">
          <h1>{snapshot.name}</h1>
          <span className="toolbar-space" />
          <RecordingLinks snapshot={snapshot} />
          <CopyMenu command={commandText(snapshot.kind === "timeline" ? "timeline" : "report", snapshot.name)} text={() => text} />
        </div>
        <pre className="text-page">{text}</pre>
      </div>
    );
  }
  const document = report?.report;
  if (!document) {
    return null;
  }
  const savings = document.findings.filter((finding) => finding.bytes).length;
  return (
    <div className="start">
      <Headline name={snapshot.name} facts={document}>
        <CopyMenu command={commandText("report", snapshot.name)} json={() => document} text={() => headlineText(snapshot, document)} />
      </Headline>
      <Parts report={document} heap={heap} />
      <div className="start-columns">
        <div>
          <Section
            title="What stands out"
            note={savings > 0 ? `${plural(savings, "possible saving")}; the bytes are what mending it could free, at most` : ""}
          >
            <Findings report={document} heap={heap} />
          </Section>
          <Section title="Who keeps the memory" note="What would be freed with each; the way to it from the root">
            <Keepers report={document} heap={heap} />
          </Section>
        </div>
        <div>
          <Section title="What it is made of" note="The largest kinds of things">
            <Kinds report={document} heap={heap} />
            <p className="card-foot">
              <a href={address({ view: "summary", heap })}>All classes, with what they retain</a>
            </p>
          </Section>
          {document.allocatedBy.length > 0 && (
            <Section title="Who allocated it" note={`${formatNumber(document.nodesWithStack)} things have a stack`}>
              <Functions report={document} heap={heap} />
            </Section>
          )}
        </div>
      </div>
    </div>
  );
}
