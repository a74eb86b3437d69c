// SPDX-License-Identifier: MIT
//
// Does not leak. Parts of the server load their modules when they are first asked for; one of them comes late, after
// two hundred requests.
'use strict';
const {steps} = require('../steps.js');

class Part {
    constructor(name, load, answer) {
        this.name = name;
        this.load = load;
        this.answer = answer;
        this.module = null;
    }

    serve(request) {
        this.module ??= this.load();
        return this.answer(this.module, request);
    }
}

const parts = [
    new Part('digest', () => require('node:crypto'), (crypto, request) =>
        crypto.createHash('sha256').update(request.path).digest('hex').slice(0, 8)),
    new Part('compress', () => require('node:zlib'), (zlib, request) => zlib.deflateSync(request.path).length),
    new Part('query', () => require('node:querystring'), (query, request) => query.parse(request.path)),
    new Part('lines', () => require('node:readline'), (readline, request) => typeof readline.Interface + request.number),
    new Part('names', () => require('node:dns'), dns => dns.getServers().length),
];

function handle(request) {
    const part = request.number < 200 ? request.number % 3 : request.number % parts.length;
    return {[parts[part].name]: parts[part].serve(request)};
}

steps({handle});
