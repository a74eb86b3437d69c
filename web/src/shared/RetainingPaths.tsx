// SPDX-License-Identifier: MIT
// Why a node is alive: its retaining paths, as a graph that is dragged and zoomed, and as text.
import { useEffect, useMemo, useRef, useState } from "react";
import { cutText, drawingOf, edgeLine, firstPlace, NODE_HEIGHT, NODE_WIDTH, pathsText, type DrawnEdge } from "../logic/path_graph";
import type { HeapPath, PathGraph } from "../types/heap";
import { useAddress, useNodeIds, useSize } from "./hooks";

const START = { x: 20, y: 20, scale: 1 };

function Edge({ edge, isDown }: { edge: DrawnEdge; isDown: boolean }) {
  const { name, text, label } = edge;
  return (
    <g className="path-edge">
      <path d={edgeLine(edge, isDown)} markerEnd="url(#path-arrow)" />
      <text x={label.x} y={label.y + 4} textAnchor="middle">
        {text}
        <title>{name}</title>
      </text>
    </g>
  );
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
  const drawing = useMemo(() => drawingOf(paths, isDown), [paths, isDown]);
  useEffect(() => setPlace(firstPlace(drawing, { width, height })), [drawing, width, height]);
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
        <button type="button" className="button small" aria-pressed={asText} onClick={() => setAsText(!asText)}>
          {asText ? "As a graph" : "As text"}
        </button>
      </div>
      {asText ? (
        <pre className="paths-text" tabIndex={0}>
          {pathsText(paths) || "Nothing leads to it but the root."}
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
          <svg role="group" aria-label={`Retaining paths: ${pathsText(paths)}`}>
            <defs>
              <marker id="path-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                <path d="M0,0 L8,4 L0,8 z" />
              </marker>
            </defs>
            <g transform={`translate(${place.x},${place.y}) scale(${place.scale})`}>
              {drawing.edges.map((edge, at) => (
                <Edge key={at} edge={edge} isDown={isDown} />
              ))}
              {drawing.nodes.map((node) => (
                <a
                  key={node.id}
                  href={address({ view: "object", heap, node: node.id })}
                  className={node.isTarget ? "path-node target" : "path-node"}
                >
                  <title>{node.name}</title>
                  <rect x={node.x} y={node.y} width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
                  <text x={node.x + 10} y={node.y + 17}>
                    {cutText(node.name)}
                  </text>
                  <text x={node.x + 10} y={node.y + 32} className="path-address">
                    {idText(node.id)}
                  </text>
                </a>
              ))}
            </g>
          </svg>
        </div>
      )}
    </div>
  );
}
