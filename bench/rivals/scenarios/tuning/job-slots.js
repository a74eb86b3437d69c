// SPDX-License-Identifier: MIT
//
// Does not leak. Objects for jobs are used again: a free list keeps those that are done, and grows up to the most jobs
// that were under way at once. Bursts come every fifty requests.
'use strict';
const {steps} = require('../steps.js');

class JobSlot {
    constructor(number) {
        this.number = number;
        this.work = null;
        this.buffer = new Uint8Array(128);
        this.onDone = result => {
            this.work = null;
            return result;
        };
    }
}

class SlotPool {
    constructor() {
        this.free = [];
        this.made = 0;
    }

    take(work) {
        const slot = this.free.pop() ?? new JobSlot(++this.made);
        slot.work = work;
        return slot;
    }

    give(slot) {
        slot.onDone(slot.number);
        this.free.push(slot);
    }
}

const pool = new SlotPool();

async function handle(request) {
    const atOnce = request.number % 50 === 0 ? 90 + (request.number % 7) * 5 : 1 + (request.number % 9);
    const slots = Array.from({length: atOnce}, (_, i) => pool.take({request, part: i}));
    await null;
    for (const slot of slots)
        pool.give(slot);
    return {made: pool.made};
}

steps({handle});
