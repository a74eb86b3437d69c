// SPDX-License-Identifier: MIT
// One object: what it is, what it keeps, why it is alive, what it refers to and what refers to it. It has an address of its own.
import { commandText } from "../../logic/commands";
import { distanceWords, formatDistance, formatNumber, formatSize, plural } from "../../logic/format";
import { frameParts } from "../../logic/names";
import { CopyMenu } from "../../shared/CopyMenu";
import { FocusedPaths } from "../../shared/FocusedPaths";
import { useAddress, useDo, useNodeIds, useSee } from "../../shared/hooks";
import { NodeLink } from "../../shared/names";
import { Failure, Working } from "../../shared/Status";
import { closeObject } from "../../store/actions";
import type { ObjectModel, Snapshot } from "../../store/models";
import type { Documents } from "../../types/documents";
import type { HeapPath } from "../../types/heap";

type Node = Documents["ubiheap.node/1"];

function Fact({ name, value }: { name: string; value: string | number | null | undefined }) {
  return value === null || value === undefined || value === "" ? null : (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Where it is written: the file, and its line if that is known. */
function placeText({ scriptFilename: file, location }: Node): string | null {
  if (!location) {
    return file;
  }
  return `${file ?? `script ${location.scriptId}`}:${location.line}:${location.column}`;
}

function Facts({ node, heap }: { node: Node; heap: HeapPath }) {
  const { dominator } = node;
  return (
    <dl className="facts">
      <Fact name="Retained" value={formatSize(node.retainedSize)} />
      <Fact name="Shallow" value={formatSize(node.shallowSize)} />
      <Fact name="Keeps alive" value={plural(node.retainedCount, "object")} />
      <Fact name="Type" value={node.typeName} />
      <Fact name="Class" value={node.className} />
      <Fact name="DOM" value={node.descriptiveTypeName} />
      <Fact name="Place" value={placeText(node)} />
      <Fact name="From the root" value={distanceWords(node.distance)} />
      {Object.entries(node.further ?? {}).map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
      {dominator && (
        <div className="fact">
          <dt>Kept by</dt>
          <dd>
            <NodeLink heap={heap} node={dominator.nodeId}>
              {dominator.title}
            </NodeLink>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Edges({ title, count, rows, heap }: { title: string; count: number; rows: Node["edges"] | Node["retainers"]; heap: HeapPath }) {
  const idText = useNodeIds(heap);
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        <p>{rows.length < count ? `${formatNumber(rows.length)} of ${formatNumber(count)}` : formatNumber(count)}</p>
      </header>
      {rows.length === 0 ? (
        <p className="card-empty">None.</p>
      ) : (
        <div className="edges" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">Reference</th>
                <th scope="col">Object</th>
                <th scope="col" className="number">
                  {rows[0] && "retainedSize" in rows[0] ? "Retained" : "From the root"}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  <td className="edge-name" title={row.edge ?? ""}>
                    {row.edge ?? <span className="muted">(no name)</span>}
                  </td>
                  <td>
                    <NodeLink heap={heap} node={row.nodeId}>
                      {row.title}
                    </NodeLink>{" "}
                    <span className="address">{idText(row.nodeId)}</span>
                  </td>
                  <td className="number">{"retainedSize" in row ? formatSize(row.retainedSize) : formatDistance(row.distance)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Stack({ node }: { node: Node }) {
  if (!node.allocationStack) {
    return null;
  }
  return (
    <section className="card">
      <header className="card-head">
        <h2>Where it was allocated</h2>
      </header>
      <ol className="stack">
        {node.allocationStack.map((frame, at) => {
          const { functionName, file, place, host } = frameParts(frame);
          return (
            <li key={at} title={frame.source}>
              <strong>{functionName}</strong> <span className="muted">{`${file}:${place}`}</span> <span className="frame-host">{host}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Tabs({ heap, shown }: { heap: HeapPath; shown: ObjectModel }) {
  const address = useAddress();
  const idText = useNodeIds(heap);
  const act = useDo();
  const open = useSee((state) => state.objects.open).filter((one) => one.id === shown.id);
  return open.length < 2 ? null : (
    <nav className="tabs" aria-label="Open objects">
      {open.map((one) => (
        <span key={one.nodeId} className={one === shown ? "tab shown" : "tab"}>
          <a href={address({ view: "object", heap, node: one.nodeId })} aria-current={one === shown || undefined}>
            {one.node?.title ?? idText(one.nodeId)}
          </a>
          <button type="button" className="icon-button" aria-label="Close" onClick={() => act(closeObject(one))}>
            ×
          </button>
        </span>
      ))}
    </nav>
  );
}

export function ObjectPage({ snapshot, object }: { snapshot: Snapshot; object: ObjectModel }) {
  const address = useAddress();
  const { node } = object;
  const heap = snapshot.path ?? "";
  const idText = useNodeIds(heap);
  if (object.state === "object-state-error") {
    return <Failure words="This object could not be shown." of={snapshot.name} error={object.error} />;
  }
  if (!node) {
    return <Working words="Looking at the object…" progress={null} />;
  }
  const kind = node.className ?? node.descriptiveTypeName ?? node.typeName;
  return (
    <div className="object-page">
      <Tabs heap={heap} shown={object} />
      <header className="object-head">
        <div>
          <h1>{node.title}</h1>
          <p className="address">{idText(node.nodeId)}</p>
        </div>
        <nav className="object-links" aria-label="This object in other views">
          <a className="button" href={address({ view: "individuals", heap, kind })} title={`The objects of ${kind}`}>
            All of its kind
          </a>
          <a className="button" href={address({ view: "dominators", heap, node: node.nodeId })}>
            Dominators
          </a>
          <a className="button" href={address({ view: "tree-map", heap, node: node.nodeId })}>
            Tree map
          </a>
          <CopyMenu
            command={commandText("show", snapshot.name, String(node.nodeId))}
            json={() => node}
            text={() => node.pathText ?? node.title}
          />
        </nav>
      </header>
      {node.pathText && <p className="object-way">{node.pathText}</p>}
      <Facts node={node} heap={heap} />
      <section className="card object-paths">
        <FocusedPaths id={snapshot.id} node={node.nodeId} />
      </section>
      <div className="object-columns">
        <Edges title="Refers to" count={node.edgeCount} rows={node.edges} heap={heap} />
        <Edges title="Referred to by" count={node.retainerCount} rows={node.retainers} heap={heap} />
      </div>
      <Stack node={node} />
    </div>
  );
}
