// SPDX-License-Identifier: MIT
//
// Does not leak. Measurements are gathered and sent off in batches, every 130 requests, so that at each snapshot
// another number waits. The last two batches are kept until they are acknowledged.
'use strict';
const {steps} = require('../steps.js');

const BATCH = 130;

class Measurement {
    constructor(name, value, labels) {
        this.name = name;
        this.value = value;
        this.labels = labels;
    }
}

class Batch {
    constructor(number, measurements) {
        this.number = number;
        this.measurements = measurements;
        this.acknowledged = false;
    }
}

class Exporter {
    constructor() {
        this.pending = [];
        this.unacknowledged = [];
        this.sent = 0;
    }

    record(measurement) {
        this.pending.push(measurement);
        if (this.pending.length >= BATCH)
            this.flush();
    }

    flush() {
        this.unacknowledged.push(new Batch(++this.sent, this.pending));
        this.pending = [];
        if (this.unacknowledged.length > 2)
            this.unacknowledged.shift().acknowledged = true;
    }
}

const exporter = new Exporter();

function handle(request) {
    exporter.record(new Measurement('latency', request.number % 31, {path: request.path, user: request.user}));
    return {pending: exporter.pending.length};
}

steps({handle});
