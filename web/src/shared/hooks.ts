// SPDX-License-Identifier: MIT
// What all views use of the store and of the browser.
import { useEffect, useState } from "react";
import { useDispatch, useSelector } from "react-redux";
import type { Theme } from "../logic/colours";
import { formatNumber, formatSize } from "../logic/format";
import type { Dispatch, State } from "../store";

export const useDo = useDispatch.withTypes<Dispatch>();
export const useSee = useSelector.withTypes<State>();

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
