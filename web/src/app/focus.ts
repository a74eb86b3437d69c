// SPDX-License-Identifier: MIT
// Whose keyboard's focus was on what is gone is taken to what is there now: the table of the view, or the view; in the list, to its item.
import { useEffect } from "react";

const inList = (element: Element) => element.closest(".snapshots") !== null;

/** Where the focus goes when an element is gone that had it. */
function placeFor(wasInList: boolean): HTMLElement | null {
  const item = wasInList ? document.querySelector<HTMLElement>(".snapshots [tabindex='0']") : null;
  return item ?? document.querySelector<HTMLElement>("#main [role='treegrid']") ?? document.querySelector<HTMLElement>("#main");
}

export function useKeptFocus(): void {
  useEffect(() => {
    let last: { element: Element; wasInList: boolean } | null = null;
    let isByKeys = false; // who uses a mouse has not lost anything
    const focused = ({ target }: FocusEvent) => {
      last = target instanceof Element ? { element: target, wasInList: inList(target) } : null;
    };
    const pressed = () => (isByKeys = true);
    const pointed = () => (isByKeys = false);
    const changed = () => {
      const { activeElement, body } = document;
      const isLost = activeElement === body && last !== null && !last.element.isConnected;
      // A view that was being made has its table now.
      const isWaiting = activeElement?.id === "main" && document.querySelector("#main [role='treegrid']") !== null;
      if (isByKeys && (isLost || isWaiting)) {
        placeFor(last?.wasInList ?? false)?.focus();
      }
    };
    const observer = new MutationObserver(changed);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", focused);
    document.addEventListener("keydown", pressed, true);
    document.addEventListener("pointerdown", pointed, true);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", focused);
      document.removeEventListener("keydown", pressed, true);
      document.removeEventListener("pointerdown", pointed, true);
    };
  }, []);
}
