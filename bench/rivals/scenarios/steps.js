// SPDX-License-Identifier: MIT
//
// steps.js: what the programs of this folder share: equal work between heap snapshots.
//
//     node PROGRAM.js DIRECTORY [N]    writes DIRECTORY/1.heapsnapshot to N.heapsnapshot (default 3)
//     node PROGRAM.js --heap N         prints the bytes of the heap in use after each of N steps, a full collection before each
//
// A step is a number of requests; before the first snapshot there is a warm-up. The second form tells leaks from other growth
// without looking into the heap: it is how the truth in the manifests was checked.
//
// Each program gets requests that are parsed again, and an access log keeps the last few of them, so that around what leaks
// there is what comes and goes in any server. All numbers are pseudo-random from a fixed seed, and what expires does so by a clock
// that counts requests: a slow machine makes no difference.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const timers = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');

const REST_MS = 20;
const LOGGED = 16;

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function randomFrom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

class Request {
    constructor(number, random) {
        this.number = number;
        this.user = `user-${Math.floor(random() * 1e6)}`;
        this.path = `/${['orders', 'items', 'search', 'account'][number % 4]}/${Math.floor(random() * 1e4)}`;
        this.headers = {host: 'shop.example', accept: 'application/json', 'x-request-id': `${number}-${random()}`};
        this.body = JSON.parse(JSON.stringify({
            lines: Array.from({length: 1 + (number % 5)}, (_, i) => ({sku: `S${number % 97}-${i}`, quantity: i + 1})),
            note: `deliver ${number} to ${this.user}`,
        }));
    }
}

class AccessLog {
    constructor() {
        this.latest = new Array(LOGGED).fill(null);
    }

    note(request, answer) {
        this.latest[request.number % LOGGED] = {request, length: String(answer).length};
    }
}

function full(collect) {
    collect();
    return process.memoryUsage().heapUsed;
}

/**
 * @param handle    what the program does with a Request; may be async
 * @param requests  how many make a step
 * @param warmUp    how many come before the first snapshot
 * @param settle    optional, awaited before each snapshot: lets work that is under way end
 */
async function steps({handle, requests = 200, warmUp = 60, settle = async () => {}}) {
    const [where, times = '3'] = process.argv.slice(2);
    if (where === undefined || !(Number(times) > 0)) {
        console.error(`usage: node ${path.basename(process.argv[1])} DIRECTORY [N] | --heap N`);
        process.exit(2);
    }
    const random = randomFrom(20), log = new AccessLog();
    let number = 0;
    const serve = async n => {
        for (let i = 0; i < n; i++) {
            const request = new Request(++number, random);
            log.note(request, JSON.stringify(await handle(request)));
        }
    };
    const rest = async () => {
        await settle();
        await timers.setTimeout(REST_MS);
    };
    if (where === '--heap') {
        v8.setFlagsFromString('--expose-gc');
        const collect = vm.runInNewContext('gc');
        await serve(warmUp);
        for (let i = 0; i < Number(times); i++) {
            await serve(requests);
            await rest();
            full(collect); // finalizers run between the two
            await rest();
            console.log(full(collect));
        }
        process.exit(0);
    }
    fs.mkdirSync(where, {recursive: true});
    await serve(warmUp);
    for (let i = 1; i <= Number(times); i++) {
        if (i > 1)
            await serve(requests);
        await rest();
        v8.writeHeapSnapshot(path.join(where, `${i}.heapsnapshot`)); // collects garbage first
    }
    process.exit(0); // timers and sockets that leak would keep the process
}

module.exports = {steps, randomFrom};
