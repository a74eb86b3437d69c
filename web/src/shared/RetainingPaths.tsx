// SPDX-License-Identifier: MIT
// Why a node is alive: its retaining paths, as a graph that is dragged and zoomed, and as text.
import { useEffect, useMemo, useRef, useState } from "react";
import { foldedPaths, foldsOf, moreWords, withMore, type Fold, type ShownMore } from "../logic/path_fold";
import { drawingOf, edgeLine, firstPlace, NODE_HEIGHT, NODE_WIDTH, pathsText, type DrawnEdge, type DrawnNode } from "../logic/path_graph";
import type { HeapPath, PathGraph } from "../types/heap";
import { useAddress, useNodeIds, useSize } from "./hooks";

const START = { x: 20, y: 20, scale: 1 };
const NONE: ShownMore = new Map();

/** It is above lines and nodes. */
function EdgeName({ edge: { name, text, label } }: { edge: DrawnEdge }) {
  return (
    <g className="path-edge">
      <text x={label.x} y={label.y + 4} textAnchor="middle">
        {text}
        <title>{name}</title>
      </text>
    </g>
  );
}

function NodeBox({ node, below }: { node: DrawnNode; below: string }) {
  const { x, y, name } = node;
  return (
    <>
      <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
      <foreignObject x={x + 10} y={y + 4} width={NODE_WIDTH - 20} height="18">
        <div className="path-name">{name}</div>
      </foreignObject>
      <foreignObject x={x + 10} y={y + 21} width={NODE_WIDTH - 20} height="16">
        <div className="path-name path-address">{below}</div>
      </foreignObject>
    </>
  );
}

/** Nodes that are not drawn, some of which a click shows. */
function FoldBox({ node, fold, onShow }: { node: DrawnNode; fold: Fold; onShow: () => void }) {
  if (fold.isLeftOut) {
    return (
      <g className="path-node fold">
        <title>The command ubiheap paths lists them.</title>
        <NodeBox node={node} below="" />
      </g>
    );
  }
  return (
    <g
      className="path-node fold"
      role="button"
      tabIndex={0}
      onClick={onShow}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onShow();
        }
      }}
    >
      <title>{[fold.like, moreWords([fold])].filter(Boolean).join("\n")}</title>
      <NodeBox node={node} below={fold.like} />
    </g>
  );
}

/** The paths with their long rows folded, what is shown of these, and what shows more. */
function useFolded(paths: PathGraph) {
  const [shown, setShown] = useState({ of: paths, more: NONE });
  const more = shown.of === paths ? shown.more : NONE;
  const folded = useMemo(() => foldedPaths(paths, more), [paths, more]);
  return {
    folded,
    isAsAtFirst: more === NONE,
    folds: foldsOf(folded),
    show: (folds: Fold[]) => setShown({ of: paths, more: withMore(more, folds) }),
  };
}

export function RetainingPaths({ paths, heap }: { paths: PathGraph; heap: HeapPath | null }) {
  const address = useAddress();
  const idText = useNodeIds(heap);
  const [asText, setAsText] = useState(false);
  const [place, setPlace] = useState(START);
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const { width, height } = useSize(frame);
  const isDown = height > width * 0.7;
  const drag = useRef<{ x: number; y: number } | null>(null);
  const { folded, isAsAtFirst, folds, show } = useFolded(paths);
  const drawing = useMemo(() => drawingOf(folded, isDown), [folded, isDown]);
  const text = useMemo(() => pathsText(folded), [folded]);
  useEffect(() => {
    // What comes between the nodes that are seen does not move them.
    if (isAsAtFirst) {
      setPlace(firstPlace(drawing, { width, height }));
    }
  }, [isAsAtFirst, drawing, width, height]);
  useEffect(() => {
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      const scale = Math.max(0.2, Math.min(3, place.scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1)));
      setPlace({ ...place, scale });
    };
    frame?.addEventListener("wheel", turned, { passive: false });
    return () => frame?.removeEventListener("wheel", turned);
  });
  return (
    <div className="paths">
      <div className="paths-bar">
        <h2>Retaining paths</h2>
        {folds.length > 0 && (
          <button type="button" className="button small paths-more" onClick={() => show(folds)}>
            {moreWords(folds)}
          </button>
        )}
        <button type="button" className="button small" aria-pressed={asText} onClick={() => setAsText(!asText)}>
          {asText ? "As a graph" : "As text"}
        </button>
      </div>
      {asText ? (
        <pre className="paths-text" tabIndex={0}>
          {text || "Nothing leads to it but the root."}
        </pre>
      ) : (
        <div
          ref={setFrame}
          className="paths-graph"
          onPointerDown={(event) => (drag.current = { x: event.clientX, y: event.clientY })}
          onPointerUp={() => (drag.current = null)}
          onPointerLeave={() => (drag.current = null)}
          onPointerMove={(event) => {
            if (drag.current) {
              setPlace({ ...place, x: place.x + event.clientX - drag.current.x, y: place.y + event.clientY - drag.current.y });
              drag.current = { x: event.clientX, y: event.clientY };
            }
          }}
        >
          <svg role="group" aria-label={`Retaining paths: ${text}`}>
            <defs>
              <marker id="path-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                <path d="M0,0 L8,4 L0,8 z" />
              </marker>
            </defs>
            <g transform={`translate(${place.x},${place.y}) scale(${place.scale})`}>
              {drawing.edges.map((edge, at) => (
                <path key={at} className="path-line" d={edgeLine(edge, isDown)} markerEnd="url(#path-arrow)" />
              ))}
              {drawing.nodes.map((node) =>
                node.fold ? (
                  <FoldBox key={node.id} node={node} fold={node.fold} onShow={() => show(node.fold ? [node.fold] : [])} />
                ) : (
                  <a
                    key={node.id}
                    href={address({ view: "object", heap, node: node.id })}
                    className={node.isTarget ? "path-node target" : "path-node"}
                  >
                    <title>{node.name}</title>
                    <NodeBox node={node} below={idText(node.id)} />
                  </a>
                ),
              )}
              {drawing.edges.map((edge, at) => (
                <EdgeName key={at} edge={edge} />
              ))}
            </g>
          </svg>
        </div>
      )}
    </div>
  );
}
