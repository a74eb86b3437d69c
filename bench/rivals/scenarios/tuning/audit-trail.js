// SPDX-License-Identifier: MIT
//
// Leaks. The audit trail is one text that becomes longer with each request. It is looked at each time, so it is always one flat string,
// and never the same one.
'use strict';
const {steps} = require('../steps.js');

class Auditor {
    constructor() {
        this.trail = '';
    }

    note(line) {
        this.trail += line;
        return this.trail.charCodeAt(this.trail.length - 1);
    }
}

const auditor = new Auditor();

function handle(request) {
    const details = JSON.stringify(request.headers).repeat(40);
    return {last: auditor.note(`${request.number} ${request.path} ${details}\n`)};
}

steps({handle});
