// SPDX-License-Identifier: MIT
//
// Leaks. Each upload opens a channel for its progress. When it is done nobody closes the ports, which the event loop keeps.
'use strict';
const {MessageChannel} = require('node:worker_threads');
const {steps} = require('../steps.js');

class ProgressMeter {
    constructor(name, total) {
        this.name = name;
        this.total = total;
        this.done = 0;
    }

    get percent() {
        return Math.round(100 * this.done / this.total);
    }
}

class Uploads {
    constructor() {
        this.finished = 0;
    }

    async upload(name, parts) {
        const {port1, port2} = new MessageChannel();
        const meter = new ProgressMeter(name, parts.length);
        const ended = new Promise(resolve => {
            port2.on('message', function onProgress() {
                if (++meter.done === meter.total)
                    resolve();
            });
        });
        for (const part of parts)
            port1.postMessage({sent: part.length});
        await ended;
        port2.unref();
        // Missing: port1.close();
        this.finished++;
        return meter.percent;
    }
}

const uploads = new Uploads();

async function handle(request) {
    return {percent: await uploads.upload(`${request.number}.csv`, request.body.lines.map(line => line.sku))};
}

steps({handle, requests: 120});
