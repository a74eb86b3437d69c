// SPDX-License-Identifier: MIT
//
// browser.mjs: servers and browsers that measure.mjs and imports.mjs use.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = new URL("../../", import.meta.url).pathname;
const { chromium } = createRequire(join(ROOT, "web/package.json"))("playwright-core");
const IN_PAGE = readFileSync(new URL("in_page.js", import.meta.url), "utf-8");
const CHROMIUM = process.env.BENCH_CHROMIUM ?? "/usr/bin/chromium";

/** One run of one row, for bench/report.py. */
export function say(row) {
    process.stdout.write(`${JSON.stringify({ threads: 0, ...row })}\n`);
}

export const nanoseconds = (milliseconds) => Math.round(milliseconds * 1e6);

/** A server of files. @param cache  the folder of indexes; null: there are none. */
export async function serve(ubiheap, cache, ...files) {
    const options = cache === null ? ["--no-cache"] : ["--cache-dir", cache];
    const server = spawn(ubiheap, ["serve", ...options, ...files], { stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise((resolve, reject) => {
        server.stdout.once("data", (data) => resolve(data.toString().trim()));
        server.once("exit", () => reject(new Error("the server ended")));
    });
    const { origin, searchParams } = new URL(line);
    const headers = { Authorization: `Bearer ${searchParams.get("token")}` };
    const get = async (path) => {
        const response = await fetch(`${origin}/api/1/${path}`, { headers });
        if (!response.ok) {
            throw new Error(`${path}: ${response.status} ${await response.text()}`);
        }
        return response.json();
    };
    const ask = (path) => get(`heaps/${path}`);
    /** Until the files are read. */
    const read = () => Promise.all(files.map((_, at) => ask(`h${at + 1}/info`)));
    /** Until they are read, and what the server does behind its first answer is done: indexes. */
    const loaded = async () => {
        const infos = await read();
        while ((await get("jobs")).jobs.some(({ state }) => state === "waiting" || state === "running")) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return infos;
    };
    const end = () => new Promise((resolve) => server.once("exit", resolve) && server.kill());
    return { url: line, origin, ask, read, loaded, end };
}

/** The bytes of memory that a process has to itself, and its part of what it shares. */
function proportionalBytes(pid) {
    try {
        const [, kib] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf-8")) ?? [];
        return Number(kib ?? 0) * 1024;
    } catch {
        return 0; // it has ended
    }
}

/** A Chromium with a profile of its own. */
export async function launch() {
    const home = mkdtempSync(join(tmpdir(), "ubiheap-bench-"));
    const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args, env: { ...process.env, HOME: home } });
    const session = await browser.newBrowserCDPSession();
    const open = async (url, { width = 1280, height = 800 } = {}) => {
        const page = await browser.newPage({ viewport: { width, height } });
        page.setDefaultTimeout(0);
        page.on("pageerror", (error) => {
            throw error;
        });
        page.on("crash", () => {
            throw new Error("the page crashed");
        });
        await page.addInitScript(IN_PAGE);
        await page.goto(url);
        return page;
    };
    /** Of the largest renderer, which is the page's where there is one page. */
    const rendererBytes = async () => {
        const { processInfo } = await session.send("SystemInfo.getProcessInfo");
        return Math.max(...processInfo.filter(({ type }) => type === "renderer").map(({ id }) => proportionalBytes(id)));
    };
    const close = async () => {
        await browser.close();
        rmSync(home, { recursive: true, force: true });
    };
    return { open, rendererBytes, close, version: browser.version() };
}

/** When the view that the page was opened with was there. */
export function firstViewMs(page) {
    return page.evaluate(async () => {
        await window.bench.until(() => window.bench.firstViewMs !== null);
        return window.bench.firstViewMs;
    });
}
