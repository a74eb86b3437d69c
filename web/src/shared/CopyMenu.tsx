// SPDX-License-Identifier: MIT
// Copies what a view shows, as text, JSON or CSV, and the command that gives the same.
import { useState } from "react";
import { csvText, tableText } from "../logic/commands";
import { Menu } from "./Menu";

export type Cells = readonly (readonly (string | number | null)[])[];

export interface CopyMenuProps {
  /** The rows that are shown, with a row of titles first; asked for when they are copied. */
  rows?: () => Cells;
  json?: () => unknown;
  text?: () => string;
  command: string;
}

export function CopyMenu({ rows, json, text, command }: CopyMenuProps) {
  const [said, setSaid] = useState("");
  const copy = (what: string, value: string) => {
    navigator.clipboard.writeText(value).then(
      () => setSaid(`Copied ${what}.`),
      () => setSaid("The browser does not allow copying."),
    );
    setTimeout(() => setSaid(""), 2500);
  };
  const objects = () => {
    const [titles = [], ...others] = rows?.() ?? [];
    return others.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? null])));
  };
  const items = [
    { label: "Copy the command", detail: command, act: () => copy("the command", command) },
    ...(text || rows ? [{ label: "Copy as text", act: () => copy("text", text?.() ?? tableText(rows?.() ?? [])) }] : []),
    ...(json || rows ? [{ label: "Copy as JSON", act: () => copy("JSON", JSON.stringify(json?.() ?? objects(), null, 2)) }] : []),
    ...(rows ? [{ label: "Copy as CSV", act: () => copy("CSV", csvText(rows())) }] : []),
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
