// SPDX-License-Identifier: MIT
// The tree map: a canvas that is zoomed by the wheel, dragged, and walked through by keys.
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { boxAt, boxBeside, boxKey, boxName, boxWay, childrenOf, placeOfKey, zoomToBox } from "../../logic/boxes";
import { commandText } from "../../logic/commands";
import { formatNumber, formatPercent, formatSize, percentOf, plural } from "../../logic/format";
import { boxOfWay, wantedDetail, type MapBox } from "../../logic/map_details";
import {
  dragged,
  keptInView,
  LINE_PIXELS,
  NO_ZOOM,
  steppedTowards,
  wheelStep,
  zoomed,
  zoomOfText,
  zoomText,
  type DragZoom,
  type Window,
} from "../../logic/zoom";
import { CopyMenu } from "../../shared/CopyMenu";
import { useAddress, useDo, useNodeIds, useSize, useTheme } from "../../shared/hooks";
import { seekInTreeMap, setTreeMapZoom } from "../../store/actions";
import type { Snapshot, SnapshotId, TreeMapModel } from "../../store/models";
import { fetchTreeMapDetail, takeTreeMap } from "../../store/tasks/census";
import { openBox } from "../../store/tasks/dominators";
import type { Documents } from "../../types/documents";
import { drawTreeMap, placeOf, type Picture } from "./draw";

type Report = Documents["ubiheap.treemap/1"];

const KEY_ZOOM = 40;
const STAYS_MS = 120;
/** The measure of the browser's timeline that says how long drawing took. */
const DRAWING = "draw tree map";

type ZoomState = ReturnType<typeof useZoom>;

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

/** Asks for more boxes where the zoom that was reached has room for them. */
function useDetails(id: SnapshotId, boxes: MapBox[], children: number[][], zoom: ZoomState, view: Window) {
  const act = useDo();
  const { shown, wanted } = zoom;
  useEffect(() => {
    const detail = shown === wanted && view.width > 0 ? wantedDetail(boxes, children, shown, view) : null;
    if (!detail) {
      return undefined;
    }
    const timer = setTimeout(() => void act(fetchTreeMapDetail(id, detail)), STAYS_MS);
    return () => clearTimeout(timer);
  }, [act, id, boxes, children, shown, wanted, view]);
}

/** The zoom that the address asks for is shown, and one that stays is in the address. */
function useKeptZoom(id: SnapshotId, kept: string, zoom: ZoomState, view: Window) {
  const act = useDo();
  const known = useRef("");
  const jump = useRef(zoom.jumpTo);
  jump.current = zoom.jumpTo;
  const hasWindow = view.width > 0;
  useEffect(() => {
    const wanted = hasWindow && kept !== known.current ? zoomOfText(kept, view) : null;
    if (wanted) {
      known.current = kept;
      jump.current(wanted);
    }
  }, [kept, view, hasWindow]);
  const text = zoomText(zoom.wanted, view);
  useEffect(() => {
    if (!hasWindow || text === known.current) {
      return undefined;
    }
    const timer = setTimeout(() => {
      known.current = text;
      act(setTreeMapZoom({ id, zoom: text }));
    }, STAYS_MS);
    return () => clearTimeout(timer);
  }, [act, id, text, hasWindow]);
}

/** Boxes with sides of so many pixels are seen well. */
const GOOD_SIDE = 40;

/** Goes to the box of the object that is sought; while only the rest that hides it is there, into that. */
function useSought(
  sought: TreeMapModel["sought"],
  boxes: MapBox[],
  children: number[][],
  goToBox: (at: number, isZoomed: boolean) => void,
) {
  const reached = useRef<TreeMapModel["sought"]>(null);
  const go = useRef(goToBox);
  go.current = goToBox;
  useEffect(() => {
    if (sought && reached.current !== sought) {
      const { at, isWhole } = boxOfWay(boxes, children, sought.way, boxName);
      reached.current = isWhole ? sought : null;
      const box = boxes[at];
      go.current(at, !isWhole || !box || Math.min(box.width, box.height) < GOOD_SIDE);
    }
  }, [sought, boxes, children]);
}

function useDrawing(picture: Picture) {
  const drawn = useRef<HTMLCanvasElement>(null);
  const { boxes, width, height, shown, theme, withBoxes } = picture;
  useEffect(() => {
    if (drawn.current && width > 0) {
      const start = performance.now();
      drawTreeMap(drawn.current, { boxes, width, height, shown, theme, withBoxes }, window.devicePixelRatio || 1);
      performance.clearMeasures(DRAWING);
      performance.measure(DRAWING, { start });
    }
  }, [boxes, width, height, shown, theme, withBoxes]);
  return drawn;
}

/** Pixels beyond the window that a mark may have: lengths that browsers do not know come of deep zooms. */
const BEYOND = 10;

/** The edge of a box that is pointed at or focused, above the picture, which stays as it is. */
function Mark({ kind, box, shown, view }: { kind: "hovered" | "focused"; box: MapBox | undefined; shown: DragZoom; view: Window }) {
  if (!box) {
    return null;
  }
  const place = placeOf(box, shown);
  const [left, top] = [Math.max(-BEYOND, place.x), Math.max(-BEYOND, place.y)];
  const [right, bottom] = [Math.min(view.width + BEYOND, place.x + place.width), Math.min(view.height + BEYOND, place.y + place.height)];
  const [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)];
  return (
    <div className={`tree-map-mark ${kind}`} aria-hidden="true" style={{ transform: `translate(${left}px,${top}px)`, width, height }} />
  );
}

export function TreeMap({ snapshot, report }: { snapshot: Snapshot; report: Report }) {
  const address = useAddress();
  const idText = useNodeIds(snapshot.path);
  const act = useDo();
  const theme = useTheme();
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const view = useSize(frame);
  const zoom = useZoom(view);
  const [hover, setHover] = useState({ at: -1, x: 0, y: 0 });
  const [focusedKey, setFocusedKey] = useState("");
  const drag = useRef<{ x: number; y: number } | null>(null);
  const boxes = report.boxes as MapBox[];
  const children = useMemo(() => childrenOf(boxes), [boxes]);
  const withBoxes = useCallback((at: number) => (children[at]?.length ?? 0) > 0, [children]);
  const focused = useMemo(() => placeOfKey(boxes, focusedKey), [boxes, focusedKey]);
  const setFocused = (at: number) => setFocusedKey(at > 0 ? boxKey(boxes, at) : "");
  const { id } = snapshot;
  const sought = snapshot.treeMap?.sought ?? null;

  // A map of the size that the window has now, once that stays.
  useEffect(() => {
    if (view.width < 50 || view.height < 50 || (view.width === report.width && view.height === report.height)) {
      return undefined;
    }
    const timer = setTimeout(() => void act(takeTreeMap(id, view)), STAYS_MS);
    return () => clearTimeout(timer);
  }, [act, id, view, report.width, report.height]);

  const showBox = (at: number) => {
    const box = boxes[at];
    if (box) {
      zoom.goTo(zoomToBox(box, view.width, view.height));
    }
  };
  useKeptZoom(id, snapshot.treeMap?.zoom ?? "", zoom, view);
  useDetails(id, boxes, children, zoom, view);
  // Before the map has the window's size, its places are not those of the window.
  const isFitting = view.width === report.width && view.height === report.height;
  useSought(isFitting ? sought : null, boxes, children, (at, isZoomed) => {
    setFocused(at);
    if (isZoomed) {
      showBox(at);
    }
  });
  const drawn = useDrawing({ boxes, ...view, shown: zoom.shown, theme, withBoxes });

  // React's own wheel events cannot keep the page from scrolling.
  useEffect(() => {
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      if (!drag.current && frame) {
        const delta = event.deltaY * (event.deltaMode === 1 ? LINE_PIXELS : 1);
        const { left, top } = frame.getBoundingClientRect();
        zoom.goTo(zoomed(zoom.wanted, view, wheelStep(zoom.wanted, delta), event.clientX - left, event.clientY - top));
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
  const openCensus = (at: number) => {
    const box = boxes[at];
    if (box && box.type === "row") {
      location.hash = address({ view: "census", heap: snapshot.path, filter: typeof box.name === "string" ? box.name : "" });
    }
  };
  const hasObjects = (at: number) => boxes[at]?.type === "row" && children[at]?.length === 0;
  const openObjects = (at: number) => {
    const row = boxes[at]?.rowId;
    if (row !== undefined && hasObjects(at)) {
      void act(openBox(id, row));
    }
  };
  /** What was sought is left by whoever goes elsewhere. */
  const leaveSought = () => sought && act(seekInTreeMap({ id, sought: null }));
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
      o: () => openObjects(focused),
      " ": () => showBox(focused),
    };
    const next = boxBeside(boxes, children, focused, event.key);
    if (actions[event.key]) {
      actions[event.key]?.();
    } else if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
      leaveSought();
      setFocused(next);
    } else {
      return;
    }
    event.preventDefault();
  };

  const focusedBox = focused > 0 ? boxes[focused] : undefined;
  const isSoughtHere = sought !== null && boxOfWay(boxes, children, sought.way, boxName).at === focused;
  const words =
    focusedBox &&
    `${boxWay(boxes, focused).join(", ")}: ${formatSize(focusedBox.bytes)}, ${formatNumber(focusedBox.count)} things` +
      (isSoughtHere ? `; the object ${idText(sought.nodeId)} is one of them` : "");
  return (
    <div className="table-view">
      <div className="view-bar">
        <p className="view-note">
          Wheel zooms, dragging moves. Keys: arrows, <kbd>Space</kbd> zooms, <kbd>O</kbd> lists objects, <kbd>Enter</kbd> counts,{" "}
          <kbd>0</kbd> shows all.
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
        data-boxes={boxes.length}
        aria-busy={!isFitting}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY };
          leaveSought();
          setFocused(pointOf(event).at);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerMove={moved}
        onPointerLeave={() => setHover({ at: -1, x: 0, y: 0 })}
        onDoubleClick={(event) => showBox(pointOf(event).at)}
      >
        <canvas
          ref={drawn}
          tabIndex={0}
          role="img"
          aria-label={`Tree map of ${snapshot.name}. ${words ?? "Arrow keys walk through it."}`}
          onKeyDown={keys}
        />
        <Mark kind="hovered" box={hover.at > 0 ? boxes[hover.at] : undefined} shown={zoom.shown} view={view} />
        <Mark kind="focused" box={focused > 0 ? boxes[focused] : undefined} shown={zoom.shown} view={view} />
        {hover.at > 0 && <Tooltip report={report} at={hover.at} x={hover.x} y={hover.y} />}
      </div>
      <div className="tree-map-foot">
        <p className="tree-map-words" role="status">
          {words ?? "\u00a0"}
        </p>
        {focusedBox && (
          <>
            <button type="button" className="button small" onClick={() => showBox(focused)}>
              Zoom
            </button>
            {hasObjects(focused) && (
              <button type="button" className="button small" onClick={() => openObjects(focused)}>
                Objects
              </button>
            )}
            {focusedBox.type === "row" && (
              <button type="button" className="button small" onClick={() => openCensus(focused)}>
                Count
              </button>
            )}
          </>
        )}
      </div>
    </div>
  );
}
