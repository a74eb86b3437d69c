// SPDX-License-Identifier: MIT
//
// Leaks. A lock was taken by something that will never give it back. All who want it wait for ever, in async functions
// that never go on; their callers have given up after a while and answered without.
'use strict';
const {steps} = require('../steps.js');

class Lock {
    constructor() {
        this.taken = false;
        this.waiting = [];
    }

    async acquire() {
        if (!this.taken) {
            this.taken = true;
            return;
        }
        await new Promise(resolve => this.waiting.push(resolve));
    }

    release() {
        const next = this.waiting.shift();
        if (next)
            next();
        else
            this.taken = false;
    }
}

class Basket {
    constructor(request) {
        this.user = request.user;
        this.lines = request.body.lines;
    }
}

const lock = new Lock();
let saved = 0;

async function save(basket) {
    await lock.acquire();
    saved += basket.lines.length;
    lock.release();
}

async function givesUp() {
    for (let turn = 0; turn < 3; turn++)
        await null;
    return 'later';
}

async function handle(request) {
    if (!lock.taken)
        await lock.acquire(); // Missing: a release
    return {saved: (await Promise.race([save(new Basket(request)), givesUp()])) ?? saved};
}

steps({handle});
