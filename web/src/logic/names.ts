// SPDX-License-Identifier: MIT
// What rows and nodes are called.
import type { Frame, Label, RowName } from "../types/heap";

/** A stack frame in the parts that the page writes. */
export interface FrameParts {
  functionName: string;
  /** The last part of the source's address. */
  file: string;
  place: string;
  host: string;
}

export function frameParts(frame: Frame): FrameParts {
  const functionName = frame.functionDisplayName || "(anonymous)";
  const place = `${frame.line}:${frame.column}`;
  const match = /^([a-z][\w+.-]*:)?\/\/([^/]*)(.*)$/i.exec(frame.source);
  const path = (match ? match[3] : frame.source) ?? "";
  const file = path.split("/").filter(Boolean).pop() ?? frame.source;
  return { functionName, file, place, host: match?.[2] ?? "" };
}

export function frameText(frame: Frame): string {
  const parts = frameParts(frame);
  return `${parts.functionName} @ ${parts.file}:${parts.place}`;
}

export function isFrame(name: unknown): name is Frame {
  return typeof name === "object" && name !== null && "source" in name;
}

/** Words for groups that have no name of their own. */
const GROUPS: Record<string, string> = { noStack: "(no stack available)", noFilename: "(no filename available)" };

export function isUnnamed(name: RowName): boolean {
  return name === null || (typeof name === "string" && name in GROUPS);
}

export function rowNameText(name: RowName): string {
  if (name === null) {
    return "(root)";
  }
  return isFrame(name) ? frameText(name) : (GROUPS[name] ?? name);
}

const ROOTS = "JS::ubi::RootList";

/** The pieces of a label; never empty. Nodes that stand for the engine's roots are called so as a whole. */
export function labelPieces(label: Label | null): (string | Frame)[] {
  const pieces = (label ?? []).flatMap((piece): (string | Frame)[] => (Array.isArray(piece) ? piece.slice(0, 1) : [piece]));
  if (pieces.includes(ROOTS)) {
    return ["GC Roots"];
  }
  return pieces.length > 0 ? pieces : ["(unknown)"];
}

export function labelText(label: Label | null): string {
  return labelPieces(label)
    .map((piece) => rowNameText(piece))
    .join(" › ");
}

/** What has a label, and perhaps a title: what people call it, where its label does not say that. */
export interface Named {
  label: Label | null;
  title?: string | undefined;
}

/** Words for coarse types. Where a node has a title, what follows says something of objects, whose class it is, and else repeats it. */
const COARSE = new Set<unknown>(["objects", "strings", "scripts", "other", "domNode"]);

/** The pieces of what a node is called: how it is labelled, and its title. */
export function nodePieces({ label, title }: Named): (string | Frame)[] {
  if (title === undefined) {
    return labelPieces(label);
  }
  const pieces = label ? labelPieces(label) : [];
  const coarse = pieces.findIndex((piece) => COARSE.has(piece));
  const classes = pieces[coarse] === "objects" ? pieces.slice(coarse + 1) : [];
  const said = coarse < 0 ? pieces : [...pieces.slice(0, coarse), ...classes];
  return [...said.filter((piece) => piece !== title), title];
}

/** What it is called as text. */
export function nodeText(node: Named): string {
  return nodePieces(node)
    .map((piece) => rowNameText(piece))
    .join(" › ");
}

/** What is looked for by its first letters. */
export function shortNodeText(node: Named): string {
  return node.title ?? labelText(node.label);
}
