// SPDX-License-Identifier: MIT
//
// Does not leak. Durations of the latest 60,000 parts of requests are kept, as numbers in an array that has that length before the
// second snapshot, and as ids in a Set.
'use strict';
const {steps} = require('../steps.js');

const PARTS = 400, MOST = 60_000;

class Window {
    constructor() {
        this.samples = [];
        this.ids = new Set();
        this.next = 0;
    }

    add(milliseconds) {
        const at = this.next++ % MOST;
        if (at < this.samples.length) {
            this.samples[at] = milliseconds;
            this.ids.delete(this.next - MOST);
        } else {
            this.samples.push(milliseconds);
        }
        this.ids.add(this.next);
    }
}

const latest = new Window();

function handle(request) {
    for (let i = 0; i < PARTS; i++)
        latest.add(request.number + i / PARTS);
    return {samples: latest.samples.length};
}

steps({handle});
