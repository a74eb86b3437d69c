#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// measure.mjs --ubiheap PROGRAM --big FILE --newer FILE --rows FILE --boxes FILE --dist DIR [--repeats N]
//
// What people who look at the page of `ubiheap serve` wait for, in a real Chromium, as rows for bench/report.py: "first view" of each view,
// by a server that has loaded the big file, and "cold view", by one that has just read it and has no index; "action": expanding, sorting, filtering, choosing; "size": rows that were sent
// and elements in the document, which may not exceed LIMITS; "memory" of the renderer; "scroll" and "jump" in the file of many rows; "draw" of
// the file of many boxes; "script": what is loaded to begin. Ends with status 1 where a limit is exceeded.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { firstViewMs, launch, nanoseconds, say, serve } from "./browser.mjs";

const { values: options } = parseArgs({
    options: Object.fromEntries(["ubiheap", "big", "newer", "rows", "boxes", "dist", "repeats"].map((name) => [name, { type: "string" }])),
});
const repeats = Number(options.repeats ?? 3);
const big = basename(options.big);
/** Where servers keep indexes, as they do by themselves. */
const cache = mkdtempSync(join(tmpdir(), "ubiheap-bench-cache-"));

/** For one answer, and for the document with all that is in it. A report has up to a thousand kinds, a list of objects as many. */
const LIMITS = { rows: 1_100, boxes: 250_000, elements: 2_500 };
const failures = [];

const DISPLAYS = ["coarseType", "coarseTypeTree", "objectClass", "internalType", "filename", "allocationStack"];
const COLUMNS = ["Count", "Bytes", "Name", "Total Bytes", "Total Count"];
const FILTERS = "a e i o s t n r ar er in on st Ob Sc sy ob fu (a Ar 1 x js Ma .j _ ct No".split(" ");

/** Addresses of all views, with an object and a row that have much to show. */
async function addresses(server) {
    const { tree } = await server.ask("h1/dominators?depth=2&siblings=1");
    const { page } = await server.ask("h1/census?breakdown=coarseType&inverted=true&rows=100&order=-count");
    const leaf = page.rows.find((row) => typeof row.reportLeafIndex === "number").reportLeafIndex;
    return {
        start: "#/start/h1",
        ...Object.fromEntries(DISPLAYS.map((display) => [`census: ${display}`, `#/census/h1?display=${display}`])),
        "tree map": "#/tree-map/h1",
        dominators: "#/dominators/h1",
        object: `#/object/h1/${tree.children[0].nodeId}`,
        individuals: `#/individuals/h1?indices=${leaf}`,
        diff: "#/diff/h1/h2",
    };
}

async function viewTimed(browser, server, row, view, address) {
    const page = await browser.open(server.url + address);
    say({ file: big, row, view, wallNs: nanoseconds(await firstViewMs(page)) });
    if (view === "start") {
        const whole = await page.evaluate(() => window.bench.until(() => document.querySelector(".start-columns")));
        say({ file: big, row, view: "start, with what was found", wallNs: nanoseconds(whole) });
    }
    await page.close();
}

/** Every view as the first that a server shows of files that it has loaded, or has just read. */
async function firstViews(browser, views) {
    for (const [view, address] of Object.entries(views)) {
        const files = view === "diff" ? [options.big, options.newer] : [options.big];
        const server = await serve(options.ubiheap, cache, ...files);
        await server.loaded();
        await viewTimed(browser, server, "first view", view, address);
        await viewTimed(browser, server, "view again", view, address);
        await server.end();
        const cold = await serve(options.ubiheap, null, ...files);
        await cold.read();
        await viewTimed(browser, cold, "cold view", view, address);
        await cold.end();
    }
}

/** How long the server reads, and how long until it has loaded, with an index for the next. */
async function loads() {
    const folder = mkdtempSync(join(tmpdir(), "ubiheap-bench-cache-"));
    const server = await serve(options.ubiheap, folder, options.big);
    const began = performance.now();
    await server.read();
    const readNs = nanoseconds(performance.now() - began);
    await server.loaded();
    say({ file: big, row: "load", readNs, wallNs: nanoseconds(performance.now() - began) });
    await server.end();
    rmSync(folder, { recursive: true });
}

/** What a view may not exceed. */
function check(view, { rows, elements }) {
    const most = view === "tree map" ? LIMITS.boxes : LIMITS.rows;
    if (rows > most) {
        failures.push(`${view}: an answer has ${rows} rows, more than ${most}`);
    }
    if (elements > LIMITS.elements) {
        failures.push(`${view}: the document has ${elements} elements, more than ${LIMITS.elements}`);
    }
}

async function sizeOf(page, view, file) {
    const { answers, elements } = await page.evaluate(() => ({
        answers: window.bench.answers,
        elements: document.querySelectorAll("*").length,
    }));
    const size = {
        rows: Math.max(0, ...answers.map((answer) => answer.rows)),
        allRows: answers.reduce((sum, answer) => sum + answer.rows, 0),
        replyBytes: answers.reduce((sum, answer) => sum + answer.bytes, 0),
        elements,
    };
    say({ file, row: "size", view, requests: answers.length, wallNs: 0, ...size });
    check(view, size);
}

/** All views one after the other in one tab, as people go: what they bring, and the memory that the tab takes meanwhile. */
async function visitAll(server, views) {
    const empty = await launch();
    await (await empty.open(`${server.origin}/none`)).waitForTimeout(2000);
    const emptyBytes = await empty.rendererBytes();
    await empty.close();
    const browser = await launch();
    const page = await browser.open(server.url + views.start);
    await page.evaluate(() => window.bench.countAnswers());
    let mostBytes = 0;
    for (const [view, address] of Object.entries(views)) {
        await page.evaluate((hash) => {
            window.bench.answers = [];
            location.hash = hash;
        }, address);
        await page.waitForTimeout(300);
        await page.evaluate(() => window.bench.until(() => window.bench.isShown() && !document.querySelector("main .spinner")));
        await page.waitForTimeout(500);
        await sizeOf(page, view, big);
        mostBytes = Math.max(mostBytes, await browser.rendererBytes());
    }
    say({ file: big, row: "memory", wallNs: 0, emptyBytes, mostBytes, browser: browser.version });
    await browser.close();
}

async function acted(page, file, view, action, work, argument) {
    const taken = await page.evaluate(work, argument);
    if (taken !== null) {
        say({ file, row: "action", view, action, wallNs: nanoseconds(taken) });
    }
    return taken;
}

/** Expanding, sorting and filtering in a tree of a census or a difference. */
async function tableActions(page, file, view, turns) {
    for (let turn = 0; turn < turns; turn++) {
        const filter = FILTERS[turn % FILTERS.length];
        await acted(page, file, view, "filter", (text) => window.bench.filter(text), filter);
        await acted(page, file, view, "sort", (title) => window.bench.sort(title), COLUMNS[turn % COLUMNS.length]);
        await acted(page, file, view, "expand", (skip) => window.bench.expand(skip), turn % 2);
        await acted(page, file, view, "filter", (text) => window.bench.filter(text), "");
        await acted(page, file, view, "expand", (skip) => window.bench.expand(skip), turn % 3);
    }
}

async function censusActions(browser, server) {
    const page = await browser.open(`${server.url}#/census/h1`);
    await firstViewMs(page);
    for (let turn = 0; turn < 2; turn++) {
        for (const display of [...DISPLAYS.slice(1), DISPLAYS[0]]) {
            await acted(page, big, "census", "choose", (value) => window.bench.choose("#select-display", value), display);
            await tableActions(page, big, "census", FILTERS.length / 4);
        }
    }
    await page.close();
}

async function dominatorActions(browser, server) {
    const page = await browser.open(`${server.url}#/dominators/h1`);
    await firstViewMs(page);
    for (let turn = 0; turn < 40; turn++) {
        await acted(page, big, "dominators", "expand", (skip) => window.bench.expand(skip), turn % 7);
    }
    const more = () => {
        const arrow = [...document.querySelectorAll(".tree-row:has(.rest-words) .tree-arrow")].at(-1);
        return arrow ? window.bench.timedArrival(() => arrow.click()) : null;
    };
    for (let turn = 0; turn < 20; turn++) {
        await page.evaluate(() => (document.querySelector(".tree-table").scrollTop = 1e9));
        await page.waitForTimeout(50);
        await acted(page, big, "dominators", "more", more);
    }
    for (let turn = 0; turn < 6; turn++) {
        const labels = turn % 2 ? "coarseType" : "allocationStack";
        await acted(page, big, "dominators", "choose", (value) => window.bench.choose("#select-label-display", value), labels);
    }
    await page.close();
}

async function diffActions(browser, server) {
    const page = await browser.open(`${server.url}#/diff/h1/h2`);
    await firstViewMs(page);
    await tableActions(page, big, "diff", FILTERS.length / 2);
    await page.close();
}

/** A table of a million rows: its frames while it is scrolled, slowly and fast, and the rows at places that it jumps to. */
async function manyRows(browser) {
    const [file, server] = [basename(options.rows), await serve(options.ubiheap, cache, options.rows)];
    await server.loaded();
    const page = await browser.open(`${server.url}#/census/h1?display=objectClass`);
    await firstViewMs(page);
    const rows = await page.evaluate(() => Number(document.querySelector(".tree-table").ariaRowCount) - 1);
    for (const pixels of [13, 130, 1300, 13_000]) {
        await page.evaluate(() => (document.querySelector(".tree-table").scrollTop = 0));
        const times = await page.evaluate(([frames, step]) => window.bench.scroll(frames, step), [600, pixels]);
        const frames = times.slice(1).map((time, at) => time - times[at]);
        const interval = [...frames].sort((a, b) => a - b)[frames.length >> 1];
        const late = frames.filter((frame) => frame > 2 * interval).length;
        say({ file, row: "scroll", pixels, rows, frames: frames.length, late, wallNs: nanoseconds(interval) });
    }
    for (let turn = 0; turn < 60; turn++) {
        await acted(page, file, "many rows", "jump", (part) => window.bench.jump(part), ((turn * 37) % 101) / 101);
    }
    await page.evaluate(() => (document.querySelector(".tree-table").scrollTop = 0));
    await page.waitForTimeout(100);
    await tableActions(page, file, "many rows", FILTERS.length);
    await page.evaluate(() => window.bench.countAnswers());
    await page.evaluate(() => window.bench.jump(0.7));
    await sizeOf(page, "many rows", file);
    await page.close();
    await server.end();
}

/** A tree map of many boxes, which is drawn again when it is zoomed. */
async function manyBoxes(browser) {
    const [file, server] = [basename(options.boxes), await serve(options.ubiheap, cache, options.boxes)];
    await server.loaded();
    const page = await browser.open(`${server.url}#/start/h1`, { width: 1920, height: 1080 });
    await firstViewMs(page);
    await page.evaluate(() => {
        window.bench.countAnswers();
        location.hash = "#/tree-map/h1";
    });
    await page.evaluate(() => window.bench.until(() => window.bench.drawings.length > 0));
    await page.waitForTimeout(1000);
    await page.locator(".tree-map canvas").focus();
    for (let turn = 0; turn < 20; turn++) {
        await page.keyboard.press(turn % 2 ? "0" : "+");
        await page.waitForTimeout(300);
    }
    const boxes = await page.evaluate(() => window.bench.answers.at(-1).rows);
    for (const taken of await page.evaluate(() => window.bench.drawings)) {
        say({ file, row: "draw", boxes, wallNs: nanoseconds(taken) });
    }
    await page.close();
    await server.end();
}

/** Scripts that the page begins with, packed. */
function scripts() {
    const page = readFileSync(join(options.dist, "index.html"), "utf-8");
    const names = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]*\.js)"/g)].map(([, name]) => name);
    const gzipBytes = names.reduce((sum, name) => sum + readFileSync(join(options.dist, `${name}.gz`)).length, 0);
    say({ file: "page", row: "script", wallNs: 0, gzipBytes, files: readdirSync(join(options.dist, "assets")).length });
}

async function main() {
    scripts();
    const server = await serve(options.ubiheap, cache, options.big, options.newer);
    const [{ nodeCount }] = await server.loaded();
    say({ file: big, row: "limits", wallNs: 0, nodes: nodeCount, ...LIMITS });
    const views = await addresses(server);
    await visitAll(server, views);
    const browser = await launch();
    await (await browser.open(`${server.origin}/none`)).waitForTimeout(1000);
    await censusActions(browser, server);
    await dominatorActions(browser, server);
    await diffActions(browser, server);
    await server.end();
    for (let turn = 0; turn < repeats; turn++) {
        await loads();
        await firstViews(browser, views);
    }
    await manyRows(browser);
    await manyBoxes(browser);
    await browser.close();
    failures.forEach((failure) => process.stderr.write(`measure.mjs: ${failure}\n`));
    process.exitCode = failures.length > 0 ? 1 : 0;
}

try {
    await main();
} finally {
    rmSync(cache, { recursive: true });
}
