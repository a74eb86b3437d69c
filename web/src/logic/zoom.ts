// SPDX-License-Identifier: MIT
// Zooming and panning of a picture that always covers its window. Lengths are pixels of the window.

export interface Window {
  width: number;
  height: number;
}

/**
 * `zoom`: 0 shows all, 1 twice the size. The picture's centre is `translate` from the window's. `offset` is the point of the
 * picture, from its upper left corner as it is now, at the window's upper left corner.
 */
export interface DragZoom {
  zoom: number;
  translateX: number;
  translateY: number;
  offsetX: number;
  offsetY: number;
}

const ZOOM_SPEED = 0.01;
/** How many pixels a line of a wheel is that counts in lines. */
export const LINE_PIXELS = 15;

export const NO_ZOOM: DragZoom = { zoom: 0, translateX: 0, translateY: 0, offsetX: 0, offsetY: 0 };

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value)) || 0;

/** As near as the picture can be to where it is without showing what is beside it. */
export function keptInView(state: DragZoom, view: Window): DragZoom {
  const spareX = (view.width * state.zoom) / 2;
  const spareY = (view.height * state.zoom) / 2;
  const translateX = clamp(state.translateX, -spareX, spareX);
  const translateY = clamp(state.translateY, -spareY, spareY);
  return { zoom: state.zoom, translateX, translateY, offsetX: spareX - translateX || 0, offsetY: spareY - translateY || 0 };
}

/** A turn of the wheel at a point of the window: what is there stays there. */
export function zoomed(state: DragZoom, view: Window, delta: number, x: number, y: number): DragZoom {
  const zoom = Math.max(0, state.zoom - delta * ZOOM_SPEED);
  const growth = (zoom + 1) / (state.zoom + 1);
  const kept = (translate: number, at: number, length: number) => {
    const fromCentre = at - length / 2;
    return fromCentre - (fromCentre - translate) * growth;
  };
  const translateX = kept(state.translateX, x, view.width);
  const translateY = kept(state.translateY, y, view.height);
  return keptInView({ ...state, zoom, translateX, translateY }, view);
}

export function dragged(state: DragZoom, view: Window, dx: number, dy: number): DragZoom {
  return keptInView({ ...state, translateX: state.translateX + dx, translateY: state.translateY + dy }, view);
}

/** How far a turn of the wheel goes: the larger the picture is already, the further, so that each turn enlarges it about as much. */
export function wheelStep(state: DragZoom, delta: number): number {
  return (delta / 4) * Math.max(1, (state.zoom + 1) / 3);
}

/** One frame of the way from what is shown to what is wanted; the same object when it is there. */
export function steppedTowards(shown: DragZoom, wanted: DragZoom): DragZoom {
  const step = (from: number, to: number, near: number) => (Math.abs(to - from) < near ? to : (from + to) / 2);
  const next = {
    zoom: step(shown.zoom, wanted.zoom, 0.001),
    translateX: step(shown.translateX, wanted.translateX, 1),
    translateY: step(shown.translateY, wanted.translateY, 1),
    offsetX: step(shown.offsetX, wanted.offsetX, 1),
    offsetY: step(shown.offsetY, wanted.offsetY, 1),
  };
  const names = Object.keys(next) as (keyof DragZoom)[];
  return names.every((name) => next[name] === wanted[name]) ? wanted : next;
}

/** Digits that matter even where one has zoomed in as far as that goes. */
const DIGITS = 8;

/**
 * What of a picture is seen, for windows of any size: the zoom, and which point is in the middle, as shares of the picture's width and
 * height. "": all is seen.
 */
export function zoomText(state: DragZoom, view: Window): string {
  if (state.zoom <= 0 || view.width <= 0 || view.height <= 0) {
    return "";
  }
  const middle = (offset: number, length: number) => (offset + length / 2) / (length * (state.zoom + 1));
  const { offsetX, offsetY } = keptInView(state, view);
  return [state.zoom, middle(offsetX, view.width), middle(offsetY, view.height)]
    .map((part) => String(Number(part.toPrecision(DIGITS))))
    .join();
}

/** The same in a window; null: the text is none. */
export function zoomOfText(text: string, view: Window): DragZoom | null {
  const [zoom = NaN, x = NaN, y = NaN, ...rest] = text.split(",").map(Number);
  if (rest.length > 0 || ![zoom, x, y].every((part) => Number.isFinite(part)) || zoom < 0) {
    return text === "" ? NO_ZOOM : null;
  }
  const translate = (share: number, length: number) => (length * zoom) / 2 - (share * length * (zoom + 1) - length / 2);
  return keptInView({ ...NO_ZOOM, zoom, translateX: translate(x, view.width), translateY: translate(y, view.height) }, view);
}
