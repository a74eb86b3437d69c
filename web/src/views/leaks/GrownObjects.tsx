// SPDX-License-Identifier: MIT
// Objects that were there in the first snapshot, and became larger.
import { formatNumber, formatSize } from "../../logic/format";
import { grownWords, type Cluster, type Grown } from "../../logic/leaks";
import { Bars } from "../../shared/Bars";
import type { Sides } from "./Clusters";
import { useAddress } from "../../shared/hooks";

interface GrownObjectsProps {
  grown: readonly Grown[];
  /** Of the same report: what they hold. */
  clusters: readonly Cluster[];
  sides: Sides;
}

export function GrownObjects({ grown, clusters, sides }: GrownObjectsProps) {
  const address = useAddress();
  return (
    <section className="card">
      <header className="card-head">
        <h2>What became larger</h2>
        <p>Objects that were there before</p>
      </header>
      <ol className="clusters">
        {grown.map((one) => (
          <li key={String(one.nodeId)} className="cluster">
            <div className="cluster-size">
              <strong>+{formatSize(one.grownBytes)}</strong>
              {one.count > 1 && <span className="muted">{formatNumber(one.count)} objects</span>}
            </div>
            <Bars
              series={{ values: one.bytes, words: `Bytes in each snapshot: ${one.bytes.map((bytes) => formatNumber(bytes)).join(", ")}` }}
            />
            <div>
              <p className="finding-title">
                <span className="cluster-name">{one.words}</span>
                <span className={`verdict ${one.verdict}`}>{grownWords(one, clusters)}</span>
              </p>
              <p className="finding-way">{one.path}</p>
            </div>
            <div className="evidence">
              <a className="button small" href={address({ view: "object", heap: sides.newest, node: one.contentId ?? one.nodeId })}>
                The object
              </a>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
