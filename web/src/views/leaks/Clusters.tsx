// SPDX-License-Identifier: MIT
// Objects of one class that are held in one way: how many, how they grew, what they keep, and who holds them.
import { classKey } from "../../logic/class_diff";
import { formatNumber, formatSize, plural } from "../../logic/format";
import { clusterName, clusterPlace, clusterSeries, holderWords, verdictWords, type Cluster } from "../../logic/leaks";
import { frameText } from "../../logic/names";
import { Bars } from "../../shared/Bars";
import type { HeapPath } from "../../types/heap";
import { useAddress } from "../../shared/hooks";

/** The first snapshot and the last: the objects are in the last. */
export interface Sides {
  /** "1", if they may be of different processes. */
  anyway: string;
  oldest: HeapPath | null;
  newest: HeapPath | null;
}

interface ClustersProps {
  title: string;
  note: string;
  /** What is said where there are none. */
  none?: string;
  clusters: readonly Cluster[];
  sides: Sides;
}

function keepsWords({ keeps }: Cluster): string {
  return keeps.map(({ className, count, bytes }) => `${formatNumber(count)} × ${className} (${formatSize(bytes)})`).join(", ");
}

function Evidence({ cluster, sides }: { cluster: Cluster; sides: Sides }) {
  const address = useAddress();
  const { className: name, coarseType, place } = cluster;
  const row = classKey({ coarseType, name, ...(place ? { place } : {}) } as Parameters<typeof classKey>[0]);
  return (
    <div className="evidence">
      <a className="button small" href={address({ view: "object", heap: sides.newest, node: cluster.example })}>
        An example
      </a>
      {cluster.holder && (
        <a className="button small" href={address({ view: "object", heap: sides.newest, node: cluster.holder.nodeId })}>
          Who holds them
        </a>
      )}
      <a
        className="button small"
        href={address({ view: "diff", heap: sides.oldest, other: sides.newest, by: "class", row, anyway: sides.anyway })}
      >
        All new ones
      </a>
    </div>
  );
}

function ClusterRow({ cluster, sides }: { cluster: Cluster; sides: Sides }) {
  const { allocationStack, verdict } = cluster;
  const place = clusterPlace(cluster);
  const keeps = keepsWords(cluster);
  const top = allocationStack?.[0];
  return (
    <li className="cluster">
      <div className="cluster-size">
        <strong>{formatSize(cluster.retainedSize)}</strong>
        <span className="muted">{plural(cluster.count, "object")}</span>
      </div>
      <Bars series={clusterSeries(cluster)} />
      <div>
        <p className="finding-title">
          <span className="cluster-name">{clusterName(cluster)}</span> {place && <span className="address">{place}</span>}
          <span className={`verdict ${verdict}`}>{verdictWords(verdict)}</span>
        </p>
        <p className="finding-text">{holderWords(cluster)}</p>
        {keeps && <p className="finding-text">With {keeps}</p>}
        {top && <p className="finding-text">Allocated by {frameText(top)}</p>}
        <p className="finding-way">{cluster.path}</p>
      </div>
      <Evidence cluster={cluster} sides={sides} />
    </li>
  );
}

export function Clusters({ title, note, none, clusters, sides }: ClustersProps) {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        <p>{note}</p>
      </header>
      {clusters.length === 0 ? (
        <p className="card-empty">{none}</p>
      ) : (
        <ol className="clusters">
          {clusters.map((cluster, at) => (
            <ClusterRow key={at} cluster={cluster} sides={sides} />
          ))}
        </ol>
      )}
    </section>
  );
}
