// SPDX-License-Identifier: MIT
// The same for `npm run dev` and tests.
import { jsx, jsxs } from "./jsx-runtime";

export { Fragment } from "./jsx-runtime";
export type { JSX } from "./jsx-runtime";

type Make = typeof jsx;

export function jsxDEV(...[type, props, key, isStatic]: [...Parameters<Make>, boolean?]): ReturnType<Make> {
  return (isStatic ? jsxs : jsx)(type, props, key);
}
