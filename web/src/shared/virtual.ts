// SPDX-License-Identifier: MIT
// Which rows of a long list are in its window. A list that is higher than browsers allow is scrolled in larger steps.
import { useCallback, useEffect, useRef, useState } from "react";
import { useSize } from "./hooks";

/** Browsers' own limits are 17 to 33 million pixels. */
const MOST_PIXELS = 8_000_000;
/** Rows beyond each end of the window. */
const SPARE_ROWS = 1;
/** A layer begins at each of so many rows: browsers place what is far away less exactly. */
const LAYER_ROWS = 4096;

export interface VirtualList {
  /** Give it to the element that scrolls, which has rows below a header of `headerHeight`. */
  ref: (element: HTMLElement | null) => void;
  /** Rows [first, end) are to be there. */
  first: number;
  end: number;
  /** As many at most, wherever it is scrolled to. */
  mostRows: number;
  /** Pixels of all rows. */
  height: number;
  /** Pixels from the top of all rows to a layer that has those in the window: it alone moves while they are scrolled. */
  layerTop: number;
  /** Pixels from the top of the layer to a row, the same over long ways. */
  topInLayer(position: number): number;
  scrollTo(position: number): void;
  pageRows: number;
}

export function useVirtualList(length: number, rowHeight: number, headerHeight: number): VirtualList {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const frame = useRef(0);
  const { height: outer } = useSize(element);
  const window = Math.max(0, outer - headerHeight);
  const whole = length * rowHeight;
  const height = Math.min(whole, MOST_PIXELS);
  const ratio = height > window ? (whole - window) / (height - window) : 1;
  const top = Math.min(scrollTop, Math.max(0, height - window));

  useEffect(() => {
    const scrolled = () => {
      // One update for each frame, however many events there are.
      frame.current ||= requestAnimationFrame(() => {
        frame.current = 0;
        setScrollTop(element?.scrollTop ?? 0);
      });
    };
    element?.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      element?.removeEventListener("scroll", scrolled);
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [element]);

  const scrollTo = useCallback(
    (position: number) => {
      if (!element || position < 0) {
        return;
      }
      const real = element.scrollTop * ratio;
      const begin = position * rowHeight;
      const wanted = begin < real ? begin : begin + rowHeight > real + window ? begin + rowHeight - window : real;
      if (wanted !== real) {
        element.scrollTop = wanted / ratio;
      }
    },
    [element, ratio, rowHeight, window],
  );

  const real = top * ratio;
  const first = Math.max(0, Math.floor(real / rowHeight) - SPARE_ROWS);
  const layerRow = first - (first % LAYER_ROWS);
  return {
    ref: setElement,
    first,
    end: Math.min(length, Math.ceil((real + window) / rowHeight) + SPARE_ROWS),
    mostRows: Math.ceil(window / rowHeight) + 1 + 2 * SPARE_ROWS,
    height,
    layerTop: layerRow * rowHeight - real + top,
    topInLayer: (position) => (position - layerRow) * rowHeight,
    scrollTo,
    pageRows: Math.max(1, Math.floor(window / rowHeight) - 1),
  };
}
