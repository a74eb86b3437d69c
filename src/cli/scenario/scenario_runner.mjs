// SPDX-License-Identifier: MIT
//
// scenario_runner.mjs: leads a browser through a scenario for `ubiheap leaks chrome:URL --do SCRIPT`, which has this text in its program.
//
//     ubiheap ── node --eval ── scenario_runner.mjs ── puppeteer or playwright of the user ── browser
//        └───────────────── the DevTools protocol: snapshots ───────────────────────────────────┘
//
// Descriptor 3 is a socket to ubiheap. Lines of JSON go there: {"at"}, {"note"}, {"failed"}, {"done"}; and {"attach"} and {"take"}, after
// which a line comes back. When it closes, ubiheap is gone, and the browser and its profile go, too.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

// script: whole path. name: as the user gave it. url: "" if the script has it. repeats: -1 if the script says. Times in ms.
const options = JSON.parse(process.argv[1]);
const libraries = ['puppeteer-core', 'puppeteer', 'playwright-core', 'playwright'];
const idleMs = 500;
const mostBusyMs = 10000;
process.env.TMPDIR = options.profile; // what browser and library leave there is deleted, too

class Failure extends Error {
    constructor(message, details = {}) {
        super(message);
        Object.assign(this, details);
    }
}

// ---- ubiheap ---------------------------------------------------------------------------------------------------------

const socket = new Socket({ fd: 3 });
let answered = () => {};
socket.on('data', () => answered());
socket.on('error', () => leave(1));
socket.on('close', () => leave(1));

function tell(message) {
    socket.write(JSON.stringify(message) + '\n');
}

function ask(message) {
    return new Promise(resolve => {
        answered = resolve;
        tell(message);
    });
}

// ---- the browser -----------------------------------------------------------------------------------------------------

let program; // its process

// Nothing of the browser's own may be busy while the page is looked at, and a page that is not shown is not to be slower.
function browserArguments() {
    const isRoot = process.getuid?.() === 0;
    return [
        '--remote-debugging-port=0',
        `--user-data-dir=${options.profile}`,
        ...(options.isShown ? [] : ['--headless=new', '--disable-gpu', '--hide-scrollbars']),
        ...(isRoot ? ['--no-sandbox'] : []),
        '--no-first-run',
        '--no-default-browser-check',
        '--disable-background-networking',
        '--disable-background-timer-throttling',
        '--disable-backgrounding-occluded-windows',
        '--disable-renderer-backgrounding',
        '--disable-component-update',
        '--disable-default-apps',
        '--disable-dev-shm-usage',
        '--disable-extensions',
        '--disable-sync',
        '--mute-audio',
        'about:blank',
    ];
}

function browserStart() {
    program = spawn(options.browser, browserArguments(), { stdio: ['ignore', 'ignore', 'pipe'] });
    return new Promise((resolve, reject) => {
        let said = '';
        program.on('error', error => reject(new Failure(`cannot start the browser ${options.browser}: ${error.message}`)));
        program.on('exit', () => {
            const last = said.trim().split('\n').pop();
            reject(new Failure(`the browser ${options.browser} ended${last ? `: ${last}` : ''}`));
        });
        program.stderr.on('data', data => {
            said = (said + data).slice(-10000);
            const found = /DevTools listening on (ws:\/\/\S+)/.exec(said);
            if (found)
                resolve(found[1]);
        });
    });
}

// Processes of the browser that outlive it a little may write a last file meanwhile: then all is removed again.
function profileRemove() {
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    for (let turn = 0; turn < 200; turn++) {
        try {
            rmSync(options.profile, { recursive: true, force: true });
            if (!existsSync(options.profile))
                return;
        } catch {
            // once more
        }
        Atomics.wait(nothing, 0, 0, 50);
    }
}

let isLeaving = false;

function leave(code) {
    if (isLeaving)
        return;
    isLeaving = true;
    const end = () => {
        profileRemove();
        process.exit(code);
    };
    if (!program || program.exitCode !== null || program.signalCode)
        return end();
    program.removeAllListeners('exit');
    program.on('exit', end);
    program.kill();
    setTimeout(() => program.kill('SIGKILL'), 3000);
}

// ---- the user's library ----------------------------------------------------------------------------------------------

// Beside the script, in the current folder, and in those of NODE_PATH.
async function libraryFind() {
    for (const from of [options.script, join(process.cwd(), 'here.js')])
        for (const name of libraries) {
            let path;
            try {
                path = createRequire(from).resolve(name);
            } catch {
                continue;
            }
            const all = await import(pathToFileURL(path));
            return { name, library: { ...all.default, ...all } };
        }
    throw new Failure(
        `neither puppeteer-core nor playwright-core is where the script is, in the current folder, or in NODE_PATH: ` +
            `'npm install puppeteer-core' in one of these folders installs it`,
    );
}

function bind(object, name) {
    return object[name].bind(object);
}

// What puppeteer's page had until version 22, and scenarios of memlab use.
function earlierFunctionsAdd(page) {
    const path = text => `xpath/${text}`;
    page.$x ??= text => page.$$(path(text));
    page.waitForXPath ??= (text, choices) => page.waitForSelector(path(text), choices);
    page.waitForTimeout ??= sleep;
}

// What differs between the libraries.
async function pageOpen({ name, library }, address) {
    if (name.startsWith('playwright')) {
        const browser = await library.chromium.connectOverCDP(address);
        const context = browser.contexts()[0] ?? (await browser.newContext());
        const page = context.pages()[0] ?? (await context.newPage());
        return {
            page,
            session: () => context.newCDPSession(page),
            cookies: (list, url) =>
                context.addCookies(list.map(one => (one.domain ? { path: '/', ...one } : { url, ...one }))),
            rest: async () => {
                await page.waitForLoadState('networkidle', { timeout: mostBusyMs });
                await sleep(idleMs);
            },
        };
    }
    const connect = library.connect ? bind(library, 'connect') : bind(library.default, 'connect');
    const browser = await connect({ browserWSEndpoint: address, defaultViewport: { width: 1440, height: 900 } });
    const page = (await browser.pages())[0] ?? (await browser.newPage());
    earlierFunctionsAdd(page);
    return {
        page,
        session: () => (page.createCDPSession ? page.createCDPSession() : page.target().createCDPSession()),
        cookies: (list, url) => page.setCookie(...list.map(one => (one.domain ? one : { url, ...one }))),
        rest: () =>
            page.waitForNetworkIdle ? page.waitForNetworkIdle({ idleTime: idleMs, timeout: mostBusyMs }) : sleep(2000),
    };
}

async function addressOf(opened, address) {
    const session = await opened.session();
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return `ws://${new URL(address).host}/devtools/page/${targetInfo.targetId}`;
}

// ---- the script ------------------------------------------------------------------------------------------------------

// Of an error: the line of the script where it was made, or that called what made it. 0: unknown.
function lineOf(error) {
    const places = [options.script, pathToFileURL(options.script).href];
    for (const line of String(error?.stack ?? '').split('\n')) {
        const place = places.find(one => line.includes(`${one}:`));
        const found = place && /^:(\d+)/.exec(line.slice(line.indexOf(place) + place.length));
        if (found)
            return Number(found[1]);
    }
    return 0;
}

// A module that is not JavaScript does not say where.
function lineOfSyntax() {
    const checked = spawnSync(process.execPath, ['--check', options.script], { encoding: 'utf8' });
    return lineOf({ stack: checked.stderr });
}

function scriptFailure(error, step) {
    if (error instanceof Failure)
        return error;
    const line = lineOf(error) || (error instanceof SyntaxError && !step ? lineOfSyntax() : 0);
    const words = String(error?.message ?? error)
        .replace(/\x1b\[[0-9;]*m/g, '')
        .trim()
        .split('\n')[0];
    return new Failure(`${step ? `${step}: ` : ''}${words || 'failed'}`, { isOfScript: true, line });
}

async function scriptRead() {
    let all;
    try {
        all = await import(pathToFileURL(options.script));
    } catch (error) {
        throw scriptFailure(error, '');
    }
    const scenario = { ...all.default, ...all };
    if (typeof scenario.action !== 'function')
        throw new Failure('has no function action(page), which does what may leak', { isOfScript: true, line: 0 });
    if (!options.url && typeof scenario.url !== 'function')
        throw new Failure('has no function url(), and chrome:URL has none either', { isOfScript: true, line: 0 });
    for (const name of ['leakFilter', 'beforeLeakFilter', 'retainerReferenceFilter'])
        if (scenario[name])
            tell({ note: `${name} is not used: ubiheap says what leaks, and --where "EXPR" chooses` });
    return scenario;
}

async function step(name, work) {
    let timer;
    tell({ at: name });
    const late = new Promise((resolve, reject) => {
        const seconds = options.patienceMs / 1000;
        timer = setTimeout(
            () => reject(new Failure(`${name}: took longer than ${seconds} s, as --patience has it`, { isOfScript: true, line: 0 })),
            options.patienceMs,
        );
    });
    try {
        return await Promise.race([work(), late]);
    } catch (error) {
        throw scriptFailure(error, name);
    } finally {
        clearTimeout(timer);
    }
}

// ---- the scenario ----------------------------------------------------------------------------------------------------

async function settle(scenario, opened) {
    if (!scenario.isPageLoaded) {
        await Promise.resolve(opened.rest()).catch(() => {}); // it is always busy: enough
        return;
    }
    while (!(await scenario.isPageLoaded(opened.page)))
        await sleep(100);
}

async function load(scenario, opened) {
    const url = options.url || (await scenario.url());
    if (scenario.cookies)
        await opened.cookies(await scenario.cookies(), url);
    await scenario.beforeInitialPageLoad?.(opened.page);
    const answer = await opened.page.goto(url, { timeout: options.patienceMs, waitUntil: 'load' });
    if (answer && answer.status() >= 400)
        throw new Failure(`load: the page answers ${answer.status()}: ${url}`);
    await settle(scenario, opened);
}

async function run(scenario, opened, address) {
    const perform = (name, work) =>
        step(name, async () => {
            await work(opened.page);
            await settle(scenario, opened);
        });
    const action = () => perform('action', scenario.action);
    const back = () => perform('back', scenario.back ?? (page => page.evaluate(() => history.back())));
    await step('load', () => load(scenario, opened));
    if (scenario.setup)
        await perform('setup', scenario.setup);
    await ask({ attach: await addressOf(opened, address) });
    const round = async times => {
        for (let i = 0; i < times; i++) {
            await action();
            await back();
        }
    };
    await round(options.warmUps);
    await ask({ take: 'baseline' });
    await round(options.repeats >= 0 ? options.repeats : Number((await scenario.repeat?.()) ?? 0));
    await action();
    await ask({ take: 'target' });
    await back();
    await ask({ take: 'final' });
}

function fail(error) {
    const failure = scriptFailure(error, '');
    tell({ failed: failure.message, isOfScript: failure.isOfScript ?? false, line: failure.line ?? 0 }); // and it ends us
}

process.on('unhandledRejection', fail);
process.on('uncaughtException', fail);
process.on('SIGTERM', () => leave(1));

try {
    const library = await libraryFind();
    const scenario = await scriptRead();
    const address = await browserStart();
    const opened = await pageOpen(library, address);
    await run(scenario, opened, address);
    tell({ done: true });
} catch (error) {
    fail(error);
}
