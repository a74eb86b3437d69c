// SPDX-License-Identifier: MIT
// The tree map: a canvas that is zoomed by the wheel, dragged, and walked through by keys.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { addressText } from "../../logic/address";
import { boxAt, boxBeside, boxName, boxWay, childrenOf, zoomToBox } from "../../logic/boxes";
import { commandText } from "../../logic/commands";
import { formatNumber, formatPercent, formatSize, percentOf, plural } from "../../logic/format";
import { dragged, keptInView, LINE_PIXELS, NO_ZOOM, steppedTowards, zoomed, type DragZoom } from "../../logic/zoom";
import { CopyMenu } from "../../shared/CopyMenu";
import { useDo, useSize, useTheme } from "../../shared/hooks";
import type { Snapshot } from "../../store/models";
import { takeTreeMap } from "../../store/tasks/census";
import type { Documents } from "../../types/documents";
import type { TreeMapBox } from "../../types/heap";
import { drawTreeMap } from "./draw";

type Report = Documents["ubiheap.treemap/1"];

const KEY_ZOOM = 40;
const RESIZED_MS = 120;

/** The zoom that is shown, which follows the wanted one in steps, one for each frame. */
function useZoom(view: { width: number; height: number }) {
  const [wanted, setWanted] = useState(NO_ZOOM);
  const [shown, setShown] = useState(NO_ZOOM);
  useEffect(() => {
    if (shown === wanted) {
      return undefined;
    }
    const frame = requestAnimationFrame(() => setShown(steppedTowards(shown, wanted)));
    return () => cancelAnimationFrame(frame);
  }, [shown, wanted]);
  return {
    shown,
    wanted,
    goTo: (zoom: DragZoom) => setWanted(keptInView(zoom, view)),
    jumpTo: (zoom: DragZoom) => {
      setWanted(zoom);
      setShown(zoom);
    },
  };
}

function Tooltip({ report, at, x, y }: { report: Report; at: number; x: number; y: number }) {
  const box = report.boxes[at];
  const whole = report.boxes[0]?.bytes ?? 0;
  if (!box) {
    return null;
  }
  const isRight = x > report.width / 2;
  const isLow = y > report.height / 2;
  const place = {
    [isRight ? "right" : "left"]: isRight ? report.width - x + 14 : x + 14,
    [isLow ? "bottom" : "top"]: isLow ? report.height - y + 14 : y + 14,
  };
  return (
    <div className="tooltip" style={place}>
      <p className="tooltip-way">{boxWay(report.boxes, at).slice(0, -1).join(" › ")}</p>
      <p className="tooltip-name">{boxName(box)}</p>
      <p>
        {formatSize(box.bytes)} · {formatPercent(percentOf(box.bytes, whole))} · {plural(box.count, "thing")}
      </p>
    </div>
  );
}

export function TreeMap({ snapshot, report }: { snapshot: Snapshot; report: Report }) {
  const act = useDo();
  const theme = useTheme();
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useSize(frame);
  const zoom = useZoom(view);
  const [hover, setHover] = useState({ at: -1, x: 0, y: 0 });
  const [focused, setFocused] = useState(-1);
  const drag = useRef<{ x: number; y: number } | null>(null);
  const boxes = report.boxes as TreeMapBox[];
  const children = useMemo(() => childrenOf(boxes), [boxes]);
  const { id } = snapshot;

  // A map of the size that the window has now, once that stays.
  useEffect(() => {
    if (view.width < 50 || view.height < 50 || (view.width === report.width && view.height === report.height)) {
      return undefined;
    }
    const timer = setTimeout(() => void act(takeTreeMap(id, view)), RESIZED_MS);
    return () => clearTimeout(timer);
  }, [act, id, view, report.width, report.height]);

  useEffect(() => {
    const element = canvas.current;
    const pixelRatio = window.devicePixelRatio || 1;
    if (element && view.width > 0) {
      element.width = Math.round(view.width * pixelRatio);
      element.height = Math.round(view.height * pixelRatio);
      drawTreeMap(element, { boxes, ...view, shown: zoom.shown, theme, hovered: hover.at, focused }, pixelRatio);
    }
  }, [boxes, view, zoom.shown, theme, hover.at, focused]);

  // React's own wheel events cannot keep the page from scrolling.
  useEffect(() => {
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      if (!drag.current && frame) {
        const delta = event.deltaY * (event.deltaMode === 1 ? LINE_PIXELS : 1);
        const { left, top } = frame.getBoundingClientRect();
        zoom.goTo(zoomed(zoom.wanted, view, delta / 4, event.clientX - left, event.clientY - top));
      }
    };
    frame?.addEventListener("wheel", turned, { passive: false });
    return () => frame?.removeEventListener("wheel", turned);
  });

  const pointOf = (event: PointerEvent | React.MouseEvent) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const scale = zoom.shown.zoom + 1;
    return { x, y, at: boxAt(boxes, (x + zoom.shown.offsetX) / scale, (y + zoom.shown.offsetY) / scale) };
  };
  const moved = (event: PointerEvent) => {
    if (drag.current) {
      zoom.jumpTo(dragged(zoom.wanted, view, event.clientX - drag.current.x, event.clientY - drag.current.y));
      drag.current = { x: event.clientX, y: event.clientY };
      setHover({ at: -1, x: 0, y: 0 });
    } else {
      setHover(pointOf(event));
    }
  };
  const showBox = (at: number) => {
    const box = boxes[at];
    if (box) {
      zoom.goTo(zoomToBox(box, view.width, view.height));
    }
  };
  const openCensus = (at: number) => {
    const box = boxes[at];
    if (box && box.type === "row") {
      location.hash = addressText({ view: "census", heap: snapshot.path, filter: typeof box.name === "string" ? box.name : "" });
    }
  };
  const keys = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const centre = [view.width / 2, view.height / 2] as const;
    const actions: Record<string, () => void> = {
      "+": () => zoom.goTo(zoomed(zoom.wanted, view, -KEY_ZOOM, ...centre)),
      "=": () => zoom.goTo(zoomed(zoom.wanted, view, -KEY_ZOOM, ...centre)),
      "-": () => zoom.goTo(zoomed(zoom.wanted, view, KEY_ZOOM, ...centre)),
      "0": () => zoom.goTo(NO_ZOOM),
      Escape: () => zoom.goTo(NO_ZOOM),
      Enter: () => openCensus(focused),
      " ": () => showBox(focused),
    };
    const next = boxBeside(boxes, children, focused, event.key);
    if (actions[event.key]) {
      actions[event.key]?.();
    } else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      setFocused(next);
    } else {
      return;
    }
    event.preventDefault();
  };

  const focusedBox = focused > 0 ? boxes[focused] : undefined;
  const words =
    focusedBox && `${boxWay(boxes, focused).join(", ")}: ${formatSize(focusedBox.bytes)}, ${formatNumber(focusedBox.count)} things`;
  return (
    <div className="table-view">
      <div className="view-bar">
        <p className="view-note">
          Wheel zooms, dragging moves. Keys: arrows, <kbd>Space</kbd> zooms, <kbd>Enter</kbd> counts, <kbd>0</kbd> shows all.
        </p>
        {zoom.wanted !== NO_ZOOM && zoom.wanted.zoom > 0 && (
          <button type="button" className="button" onClick={() => zoom.goTo(NO_ZOOM)}>
            Show all
          </button>
        )}
        <CopyMenu json={() => report} command={commandText("treemap", ["--output", "map.svg"], snapshot.name)} />
      </div>
      <div
        ref={setFrame}
        className="tree-map"
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY };
          setFocused(pointOf(event).at);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerMove={moved}
        onPointerLeave={() => setHover({ at: -1, x: 0, y: 0 })}
        onDoubleClick={(event) => showBox(pointOf(event).at)}
      >
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Tree map of ${snapshot.name}. ${words ?? "Arrow keys walk through it."}`}
          onKeyDown={keys}
        />
        {hover.at > 0 && <Tooltip report={report} at={hover.at} x={hover.x} y={hover.y} />}
      </div>
      <p className="tree-map-words" role="status">
        {words ?? "\u00a0"}
      </p>
    </div>
  );
}
