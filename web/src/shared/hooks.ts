// SPDX-License-Identifier: MIT
// What all views use of the store and of the browser.
import { useCallback, useEffect, useState } from "react";
import { useDispatch, useSelector } from "react-redux";
import { addressText, withMark, type Address } from "../logic/address";
import type { Theme } from "../logic/colours";
import { formatId, formatNumber, formatSize } from "../logic/format";
import type { Dispatch, State } from "../store";
import { fileMarksOf, heapWordsOf, snapshotAt } from "../store/selectors";
import type { HeapPath, NodeId } from "../types/heap";

export const useDo = useDispatch.withTypes<Dispatch>();
export const useSee = useSelector.withTypes<State>();

/** Gives the text of an address, which names heaps as addresses do. */
export function useAddress(): (address: Partial<Address>) => string {
  const words = useSee(heapWordsOf);
  const marks = useSee(fileMarksOf);
  return useCallback((address) => addressText(withMark(address, marks), words), [words, marks]);
}

/** Writes ids of a heap's nodes. */
export function useNodeIds(heap: HeapPath | null): (id: NodeId) => string {
  const format = useSee((state) => snapshotAt(state, heap)?.info?.format);
  return (id) => formatId(id, format);
}

/** Bytes as the preferences want them in tables. */
export function useBytes(): (bytes: number, isSigned?: boolean) => string {
  const units = useSee((state) => state.preferences.units);
  return (bytes, isSigned = false) => {
    if (units === "bytes") {
      return formatNumber(bytes, isSigned);
    }
    return isSigned ? `${bytes > 0 ? "+" : ""}${formatSize(bytes)}` : formatSize(Math.abs(bytes));
  };
}

const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

/** The theme that is shown: what the preferences say, or the system. */
export function useTheme(): Theme {
  const theme = useSee((state) => state.preferences.theme);
  const [isDark, setDark] = useState(dark?.matches ?? false);
  useEffect(() => {
    const changed = () => setDark(dark?.matches ?? false);
    dark?.addEventListener("change", changed);
    return () => dark?.removeEventListener("change", changed);
  }, []);
  return theme === "system" ? (isDark ? "dark" : "light") : theme;
}

/** The size of an element in pixels, as it changes. */
export function useSize(element: HTMLElement | null): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element) {
      return undefined;
    }
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
