// SPDX-License-Identifier: MIT
// For tests: a real server, and heaps that are made here.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A message of the snapshot format, written by hand: field numbers with their values. */
type Field = [number, number | string | Uint8Array];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | 128);
  }
  return [...bytes, Number(rest)];
}

export function message(...fields: Field[]): Uint8Array {
  const bytes = fields.flatMap(([field, value]) => {
    if (typeof value === "number") {
      return [...varint(field << 3), ...varint(value)];
    }
    const data = typeof value === "string" ? Buffer.from(value, "latin1") : value;
    return [...varint((field << 3) | 2), ...varint(data.length), ...data];
  });
  return Uint8Array.from(bytes);
}

const utf16 = (text: string) => Buffer.from(text, "utf16le");

export interface NodeFields {
  size: number;
  type: string;
  edges?: [number, string?][];
  coarse?: number;
  className?: string;
  file?: string;
  descriptive?: string;
}

function nodeMessage(id: number, node: NodeFields): Uint8Array {
  const edges = (node.edges ?? []).map(([to, name]): Field => [5, message([1, to], ...(name ? [[2, utf16(name)] as Field] : []))]);
  return message(
    [1, id],
    [2, utf16(node.type)],
    [4, node.size],
    ...edges,
    ...(node.className ? [[7, node.className] as Field] : []),
    ...(node.coarse ? [[9, node.coarse] as Field] : []),
    ...(node.file ? [[10, node.file] as Field] : []),
    ...(node.descriptive ? [[12, utf16(node.descriptive)] as Field] : []),
  );
}

/** An .fxsnapshot file of these nodes; the first is the root. */
export function snapshotFile(time: number, nodes: [number, NodeFields][]): Buffer {
  const messages = [message([1, time]), ...nodes.map(([id, node]) => nodeMessage(id, node))];
  return gzipSync(Buffer.concat(messages.map((one) => Buffer.from([...varint(one.length), ...one]))));
}

export interface Serving {
  /** With the token. */
  url: string;
  base: string;
  token: string;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A server of `ubiheap serve` with these arguments. */
export async function serve(tool: string, ...words: string[]): Promise<Serving> {
  const server = spawn(tool, ["serve", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (data: Buffer) => resolve(data.toString().trim()));
    server.once("error", reject);
    server.once("exit", () => reject(new Error("the server ended")));
  });
  const url = new URL(line);
  const end = (signal: NodeJS.Signals = "SIGTERM") =>
    new Promise<void>((resolve) => {
      server.once("exit", () => resolve());
      server.kill(signal);
    });
  return { url: line, base: url.origin, token: url.searchParams.get("token") ?? "", end };
}

/** A new folder with these files, and what removes it. */
export function folderOf(files: Record<string, Buffer>): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "ubiheap-web-"));
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(path, name), bytes);
  }
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
