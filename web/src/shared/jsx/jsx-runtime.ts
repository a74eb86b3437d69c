// SPDX-License-Identifier: MIT
// What elements of the page are made by (jsxImportSource in tsconfig.json): React's own, but no element shows a text of a heap that turns what
// is around it, or shows nothing. This is the one place for that: all text of the page goes through it, except what is drawn on a canvas.
import * as react from "react/jsx-runtime";
import { plainText } from "../../logic/plain_text";

export { Fragment } from "react/jsx-runtime";
export type { JSX } from "react";

type Props = Record<string, unknown>;

/** Attributes that are read. */
const TEXTS = ["title", "aria-label", "placeholder"] as const;

function plainChild(child: unknown): unknown {
  return typeof child === "string" ? plainText(child) : Array.isArray(child) ? child.map(plainChild) : child;
}

function plainProps(type: unknown, props: Props): Props {
  if (typeof type !== "string") {
    return props; // a component: what it shows are elements
  }
  let plain = props;
  const { children } = props;
  if (typeof children === "string" || Array.isArray(children)) {
    plain = { ...plain, children: plainChild(children) };
  }
  for (const name of TEXTS) {
    const text = props[name];
    if (typeof text === "string") {
      plain = { ...plain, [name]: plainText(text) };
    }
  }
  return plain;
}

export const jsx: typeof react.jsx = (type, props, key) => react.jsx(type, plainProps(type, props as Props), key);
export const jsxs: typeof react.jsxs = (type, props, key) => react.jsxs(type, plainProps(type, props as Props), key);
