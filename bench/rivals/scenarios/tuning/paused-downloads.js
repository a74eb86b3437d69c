// SPDX-License-Identifier: MIT
//
// Leaks. Downloads whose client has gone are paused, in case that it comes back, and stay in the table with what they
// had buffered.
'use strict';
const {Readable} = require('node:stream');
const {steps} = require('../steps.js');

class Download {
    constructor(request) {
        this.user = request.user;
        this.bytes = 0;
        const {lines} = request.body;
        let next = 0;
        this.source = new Readable({
            highWaterMark: 1024,
            read() {
                this.push(next < 6 ? Buffer.alloc(256, `${lines[0].sku} ${next++}`) : null);
            },
        });
    }

    start() {
        return new Promise(resolve => {
            this.source.once('data', chunk => {
                this.bytes += chunk.length;
                this.source.pause();
                resolve(this.bytes);
            });
        });
    }
}

class Downloads {
    constructor() {
        this.table = {};
    }

    async begin(request) {
        const download = new Download(request);
        this.table[`download-${request.number}`] = download;
        return download.start();
    }
}

const downloads = new Downloads();

async function handle(request) {
    return {bytes: await downloads.begin(request)};
}

steps({handle, requests: 120});
