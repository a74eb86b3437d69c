#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// imports.mjs --ubiheap PROGRAM FILE: from the import of a file into our page to its first tree map, and to its dominator tree, as a row
// for bench/report.py; bench/firefox/panel.py does the same with Firefox's own panel.
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { launch, nanoseconds, say, serve } from "./browser.mjs";

const { values: options, positionals } = parseArgs({ options: { ubiheap: { type: "string" } }, allowPositionals: true });
const [file] = positionals;

const server = await serve(options.ubiheap, null);
const browser = await launch();
const page = await browser.open(`${server.url}#/tree-map`);
await page.getByText("Look into a heap").waitFor();
await page.evaluate(() => document.querySelector("input[type=file]").addEventListener("change", () => (window.began = performance.now()), true));
await page.locator("input[type=file]").setInputFiles(file);
const shown = () => page.evaluate(async () => (await window.bench.until(window.bench.isShown)) - window.began);
const treeMapMs = await shown();
await page.getByRole("button", { name: "Dominators" }).click();
const dominatorsMs = await shown();
const { nodeCount: nodes } = await server.ask("h1/info");
const { tree } = await server.ask("h1/dominators?depth=1");
say({
    ...{ file: basename(file), row: "import", tool: "ubiheap", wallNs: nanoseconds(treeMapMs), dominatorsNs: nanoseconds(dominatorsMs) },
    ...{ nodes, retainedSize: tree.retainedSize },
});
await browser.close();
await server.end();
