// SPDX-License-Identifier: MIT
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";

const BAD = "evil\u202etxt.exe\x1b";
const GOOD = "evil\\u202etxt.exe\\x1b";

it("no element of the page shows a text that turns what is around it, wherever the text is from", () => {
  const Name = ({ text }: { text: string }) => <b title={text}>{text}</b>;
  const markup = renderToStaticMarkup(
    <p aria-label={BAD}>
      {BAD} and <Name text={BAD} />
      {[BAD, <i key="1">{BAD}</i>]}
    </p>,
  );
  expect(markup).toBe(`<p aria-label="${GOOD}">${GOOD} and <b title="${GOOD}">${GOOD}</b>${GOOD}<i>${GOOD}</i></p>`);
});

it("components get texts as they are", () => {
  const Length = ({ text }: { text: string }) => <b>{text.length}</b>;
  expect(renderToStaticMarkup(<Length text={BAD} />)).toBe(`<b>${BAD.length}</b>`);
});
