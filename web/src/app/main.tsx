// SPDX-License-Identifier: MIT
import { createRoot } from "react-dom/client";
import { Provider } from "react-redux";
import { HeapAnalysesClient } from "../api/HeapAnalysesClient";
import { Http } from "../api/http";
import { makeStore, type Store } from "../store";
import { connectionChanged } from "../store/actions";
import { CONNECTION } from "../store/models";
import { startConnection } from "./connection";
import { startOpenRows } from "./open_rows";
import { keptPreferences, keptSizes, keepPreferences } from "./preferences";
import "../styles/main.css";
import { App } from "./App";
import { startRouting } from "./routing";

// The browser has the token as a cookie by now: nobody need see it, or send it along with the address.
if (new URLSearchParams(location.search).has("token")) {
  history.replaceState(null, "", location.pathname + location.hash);
}

const http: Http = new Http("", "", () => void store.dispatch(connectionChanged(CONNECTION.LOST)));
const store: Store = makeStore(new HeapAnalysesClient(http), { preferences: keptPreferences(), sizes: keptSizes() });
keepPreferences(store);
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <Provider store={store}>
      <App />
    </Provider>,
  );
}
void startConnection(store)
  .then(() => startRouting(store))
  .then(() => startOpenRows(store));
