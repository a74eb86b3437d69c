// SPDX-License-Identifier: MIT
//
// Leaks. Each upload is also piped into a stream for the archive, which is in the list of streams under way until it ends. The
// archive was switched off: no one reads these streams, so what was written stays in their buffers and they never end.
'use strict';
const {once} = require('node:events');
const {PassThrough, Readable} = require('node:stream');
const {steps} = require('../steps.js');

class Archive {
    constructor() {
        this.underWay = new Set();
    }

    streamFor(name) {
        const stream = new PassThrough();
        stream.fileName = name;
        this.underWay.add(stream);
        stream.once('close', () => this.underWay.delete(stream));
        return stream;
    }
}

const archive = new Archive();

async function handle(request) {
    const upload = Readable.from(request.body.lines.map(line => Buffer.from(JSON.stringify(line).repeat(4))));
    const copy = archive.streamFor(`${request.number}.json`);
    let bytes = 0;
    upload.on('data', chunk => {
        bytes += chunk.length;
        copy.write(chunk);
    });
    await once(upload, 'end');
    copy.end();
    return {bytes};
}

steps({handle, requests: 120});
