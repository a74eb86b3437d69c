// SPDX-License-Identifier: MIT
// Copies what a view shows, as text, JSON or CSV, and the command that gives the same.
import { useState } from "react";
import { csvText, tableText } from "../logic/commands";
import { plural } from "../logic/format";
import { Menu } from "./Menu";

const jsonText = (value: unknown) => JSON.stringify(value, null, 2);

export type Cells = readonly (readonly (string | number | null)[])[];

export interface CopyMenuProps {
  /** The rows, with a row of titles first; asked for when they are copied, also of the server. */
  rows?: () => Cells | Promise<Cells>;
  json?: () => unknown;
  text?: () => string;
  command: string;
}

export function CopyMenu({ rows, json, text, command }: CopyMenuProps) {
  const [said, setSaid] = useState("");
  const say = (words: string) => {
    setSaid(words);
    setTimeout(() => setSaid(""), 2500);
  };
  const copy = (what: string, value: string) =>
    navigator.clipboard.writeText(value).then(
      () => say(`Copied ${what}.`),
      () => say("The browser does not allow copying."),
    );
  const copyRows = async (what: string, textOf: (cells: Cells) => string) => {
    try {
      const cells = (await rows?.()) ?? [];
      await copy(`${plural(cells.length - 1, "row")} as ${what}`, textOf(cells));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };
  const objects = ([titles = [], ...others]: Cells) => {
    return others.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? null])));
  };
  const items = [
    { label: "Copy the command", detail: command, act: () => copy("the command", command) },
    ...(text || rows ? [{ label: "Copy as text", act: () => (text ? copy("text", text()) : copyRows("text", tableText)) }] : []),
    ...(json || rows
      ? [
          {
            label: "Copy as JSON",
            act: () => (json ? copy("JSON", jsonText(json())) : copyRows("JSON", (cells) => jsonText(objects(cells)))),
          },
        ]
      : []),
    ...(rows ? [{ label: "Copy as CSV", act: () => copyRows("CSV", csvText) }] : []),
  ];
  return (
    <>
      <span className="copied" role="status">
        {said}
      </span>
      <Menu label="Copy" items={items} />
    </>
  );
}
