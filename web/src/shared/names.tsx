// SPDX-License-Identifier: MIT
// Names of rows and labels of nodes, as elements.
import { frameParts, frameText, isFrame, isUnnamed, nodePieces, rowNameText, type Named } from "../logic/names";
import type { Frame, HeapPath, NodeId, RowName } from "../types/heap";
import { useAddress, useNodeIds } from "./hooks";

export function FrameName({ frame }: { frame: Frame }) {
  const { functionName, file, place, host } = frameParts(frame);
  return (
    <span className="frame" title={`${frame.functionDisplayName ?? "(anonymous)"}\n${frame.source}:${place}`}>
      <span className="frame-function">{functionName}</span> <span className="frame-place">{`${file}:${place}`}</span>
      {host && <span className="frame-host"> {host}</span>}
    </span>
  );
}

export function Name({ name }: { name: RowName }) {
  if (isFrame(name)) {
    return <FrameName frame={name} />;
  }
  const text = rowNameText(name);
  return (
    <span className={isUnnamed(name) ? "name unnamed" : "name"} title={text}>
      {text}
    </span>
  );
}

export function NodeLabel({ node }: { node: Named }) {
  const pieces = nodePieces(node);
  return (
    <span className="node-label" title={pieces.map((piece) => (isFrame(piece) ? frameText(piece) : piece)).join(" › ")}>
      {pieces.map((piece, at) => (
        <span key={at} className={at < pieces.length - 1 ? "label-piece outer" : "label-piece"}>
          {isFrame(piece) ? <FrameName frame={piece} /> : rowNameText(piece)}
          {at < pieces.length - 1 && <span className="label-step"> › </span>}
        </span>
      ))}
    </span>
  );
}

export function NodeLink({ heap, node, children }: { heap: HeapPath | null; node: NodeId; children: React.ReactNode }) {
  const address = useAddress();
  return (
    <a className="node-link" href={address({ view: "object", heap, node })}>
      {children}
    </a>
  );
}

/** A small mark in a row, which leads to the node's own page. */
export function OpenLink({ heap, node }: { heap: HeapPath | null; node: NodeId }) {
  const address = useAddress();
  const words = `Open ${useNodeIds(heap)(node)}: its own page`;
  return (
    <a className="open-link" href={address({ view: "object", heap, node })} title={words} aria-label={words} tabIndex={-1}>
      ↗
    </a>
  );
}
