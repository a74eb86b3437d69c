// SPDX-License-Identifier: MIT
//
// Does not leak. Each request listens to a long-lived bus and to the signal of a deadline, and takes its listeners off when it is done;
// thirty displays stay subscribed and are replaced in turn.
'use strict';
const {EventEmitter} = require('node:events');
const {steps} = require('../steps.js');

const DISPLAYS = 30;

const bus = new EventEmitter();
bus.setMaxListeners(0);

class Display {
    constructor(name) {
        this.name = name;
        this.shown = [];
        this.onStock = change => {
            this.shown.push(change.sku);
            this.shown.length = Math.min(this.shown.length, 20);
        };
        bus.on('stock', this.onStock);
    }

    remove() {
        bus.off('stock', this.onStock);
    }
}

const displays = [];

class Answer {
    constructor(request) {
        this.request = request;
        this.changes = 0;
    }
}

async function watch(request, deadline) {
    const answer = new Answer(request);
    const onStock = () => {
        answer.changes++;
    };
    const onAbort = () => {
        answer.aborted = true;
    };
    bus.on('stock', onStock);
    deadline.signal.addEventListener('abort', onAbort);
    try {
        for (const line of request.body.lines) {
            bus.emit('stock', line);
            await null;
        }
        return {changes: answer.changes};
    } finally {
        bus.off('stock', onStock);
        deadline.signal.removeEventListener('abort', onAbort);
    }
}

const deadline = new AbortController();

function handle(request) {
    const place = request.number % DISPLAYS;
    displays[place]?.remove();
    displays[place] = new Display(`display ${place} of ${request.number}`);
    return watch(request, deadline);
}

steps({handle});
