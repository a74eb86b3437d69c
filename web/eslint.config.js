// SPDX-License-Identifier: MIT
// The layers: types < logic < api < store < shared < views < app. A view knows no other view.
import hooks from "eslint-plugin-react-hooks";
import { readdirSync } from "node:fs";
import ts from "typescript-eslint";

const LAYERS = ["types", "logic", "api", "store", "shared", "views", "app"];

/** Whatever is above a layer, which it must not import. */
function layerRule(layer) {
  const above = LAYERS.slice(LAYERS.indexOf(layer) + 1).map((name) => `**/${name}/**`);
  const more = { types: [], logic: ["react", "react-dom", "react-redux", "@reduxjs/toolkit"] }[layer] ?? [];
  return {
    files: [`src/${layer}/**/*.{ts,tsx}`],
    rules: { "no-restricted-imports": ["error", { patterns: above.map((group) => ({ group: [group] })), paths: more }] },
  };
}

/** A view may import neither another view nor what is above. */
function viewRule(view, all) {
  const others = all.filter((name) => name !== view).map((name) => `**/${name}/**`);
  return {
    files: [`src/views/${view}/**/*.{ts,tsx}`],
    rules: { "no-restricted-imports": ["error", { patterns: [...others, "**/app/**"].map((group) => ({ group: [group] })) }] },
  };
}

const views = readdirSync(new URL("src/views", import.meta.url));

export default ts.config(
  { ignores: ["dist", "node_modules"] },
  ...ts.configs.recommended,
  {
    plugins: { "react-hooks": hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      "max-lines": ["error", 600],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      eqeqeq: "error",
    },
  },
  ...LAYERS.filter((layer) => layer !== "views").map(layerRule),
  ...views.map((view) => viewRule(view, views)),
);
