// SPDX-License-Identifier: MIT
import { createRoot } from "react-dom/client";
import "../styles/main.css";
import { App } from "./App";

// The browser has the token as a cookie by now: nobody need see it, or send it along with the address.
if (new URLSearchParams(location.search).has("token")) {
  history.replaceState(null, "", location.pathname + location.hash);
}
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(<App />);
}
