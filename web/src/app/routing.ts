// SPDX-License-Identifier: MIT
// The address and the state follow each other: a change of view, heap or object is a step in the browser's history, other changes replace
// the address.
import { addressOf, addressText, NOWHERE, withMark, type Address } from "../logic/address";
import type { State, Store } from "../store";
import { plainText } from "../logic/plain_text";
import { fileMarksOf, heapWordsOf, selectedSnapshot, titleAmong } from "../store/selectors";
import { addressOfState, follow, foundAddress, NAMES } from "./addresses";

/** By which tabs of the browser are told apart. */
function windowTitle(state: State): string {
  const snapshot = selectedSnapshot(state);
  return [NAMES[state.view.state], snapshot && titleAmong(state.snapshots, snapshot), "ubiheap"].filter(Boolean).join(" · ");
}

/** What is looked at; the rest is how. */
const sightOf = ({ view, heap, other, heaps, node }: Partial<Address>) =>
  [view, heap, other, heaps, view === "object" ? node : ""].join(" ");
/** Steps in the history are for what these say; the rest replaces. */
const stepOf = (address: Partial<Address>) => `${sightOf(address)} ${address.view === "diff" ? address.by : ""}`;

export async function startRouting(store: Store): Promise<void> {
  /** What an address says comes in several steps, which are one in the history, until somebody looks at something else. */
  let followed: { sight: string; isReached: boolean } | null = null;
  let step = "";
  /** The address that was written or followed last: where it is another, one has clicked on a link, and that is followed soon. */
  let known = location.hash;
  const followHash = () => {
    known = location.hash;
    const wanted = foundAddress(store.getState(), addressOf(location.hash));
    const own = { sight: sightOf(wanted.address), isReached: false };
    followed = own;
    return follow(store, wanted).finally(() => {
      if (followed === own) {
        followed = null;
        write("replaceState");
      }
    });
  };
  const isOnTheWay = (address: Partial<Address>) => {
    const isThere = followed?.sight === sightOf({ ...NOWHERE, ...address });
    if (followed?.isReached && !isThere) {
      followed = null;
    } else if (followed && isThere) {
      followed.isReached = true;
    }
    return followed !== null;
  };
  const write = (how: "pushState" | "replaceState") => {
    const address = addressOfState(store.getState());
    const title = plainText(windowTitle(store.getState()));
    if (document.title !== title) {
      document.title = title;
    }
    const text = addressText(withMark(address, fileMarksOf(store.getState())), heapWordsOf(store.getState()));
    if (location.hash !== known) {
      return;
    }
    step = stepOf(address);
    if (text !== location.hash) {
      history[how](null, "", text);
      known = location.hash;
    }
  };
  window.addEventListener("hashchange", () => void followHash());
  store.subscribe(() => {
    const address = addressOfState(store.getState());
    write(isOnTheWay(address) || stepOf(address) === step ? "replaceState" : "pushState");
  });
  await followHash();
}
