// SPDX-License-Identifier: MIT
// Two parts beside each other; the line between them is dragged, or moved by the arrow keys.
import { useRef, type ReactNode } from "react";

const STEP = 0.05;
/** Pixels: below these a table of nodes, and drawn paths, cannot be read. */
const LEAST = { first: 420, second: 240 };
const SHARES = { least: 0.3, most: 0.85 };

interface SplitPaneProps {
  /** Of the first. */
  share: number;
  onShare(share: number): void;
  /** Pixels that the first has at least. */
  least?: number;
  /** Without a second the first has the whole width. */
  children: [ReactNode, ReactNode];
}

export function SplitPane({ share, onShare, least = LEAST.first, children }: SplitPaneProps) {
  const frame = useRef<HTMLDivElement>(null);
  const set = (wanted: number) => onShare(Math.max(SHARES.least, Math.min(SHARES.most, wanted)));
  const columns = children[1] ? `minmax(${least}px, ${share}fr) 7px minmax(${LEAST.second}px, ${1 - share}fr)` : "minmax(0, 1fr)";
  return (
    <div className={children[1] ? "split" : "split alone"} ref={frame} style={{ gridTemplateColumns: columns }}>
      <div className="split-part">{children[0]}</div>
      {children[1] && (
        <div
          className="split-line"
          role="separator"
          aria-orientation="vertical"
          aria-label="Width of the two parts"
          aria-valuemin={SHARES.least * 100}
          aria-valuemax={SHARES.most * 100}
          aria-valuenow={Math.round(share * 100)}
          tabIndex={0}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={(event) => {
            const box = frame.current?.getBoundingClientRect();
            if (box && event.buttons === 1) {
              set((event.clientX - box.left) / box.width);
            }
          }}
          onKeyDown={(event) => {
            const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
            if (step) {
              set(share + step);
              event.preventDefault();
            }
          }}
        />
      )}
      {children[1] && <div className="split-part">{children[1]}</div>}
    </div>
  );
}
