// SPDX-License-Identifier: MIT
// Text of heaps as it may be shown: characters that show nothing, or turn what is around them, are written as in the commands' output.

const ESCAPED = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]", // controls, except tab and the end of a line
    "[\\u00ad\\u061c\\u115f\\u1160\\u180e]", // of no width
    "[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]", // and what turns text
    "\\udb40[\\udc00-\\udc7f]", // letters that are not seen
    "[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", // halves of a character
  ].join("|"),
  "g",
);

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) {
    return `\\u{${code.toString(16)}}`;
  }
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The text itself where there is nothing to escape. */
export function plainText(text: string): string {
  return text.replace(ESCAPED, escaped);
}
