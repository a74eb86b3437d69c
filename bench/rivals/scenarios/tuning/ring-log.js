// SPDX-License-Identifier: MIT
//
// Does not leak. The last three hundred events, in a ring that is made in advance: it is full in the third step and
// overwritten from then on.
'use strict';
const {steps} = require('../steps.js');

class LogEvent {
    constructor(request, milliseconds) {
        this.text = `${request.user} ${request.path} in ${milliseconds} ms`;
        this.tags = {path: request.path, slow: milliseconds > 30};
    }
}

class RingLog {
    constructor(size) {
        this.events = new Array(size).fill(null);
        this.written = 0;
    }

    write(event) {
        this.events[this.written++ % this.events.length] = event;
    }

    slow() {
        return this.events.filter(event => event?.tags.slow).length;
    }
}

const ring = new RingLog(300);

function handle(request) {
    ring.write(new LogEvent(request, request.number % 40));
    return {slow: ring.slow()};
}

steps({handle});
