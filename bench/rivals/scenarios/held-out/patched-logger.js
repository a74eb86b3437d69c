// SPDX-License-Identifier: MIT
//
// Leaks. Each request wants the log lines that are written while it is served, so it wraps the logger's function; nobody puts the
// old one back. A chain of closures grows, each with the span of its request.
'use strict';
const {steps} = require('../steps.js');

const logger = {
    level: 'info',
    written: 0,
    write(line) {
        this.written += line.length;
    },
};

class Span {
    constructor(name) {
        this.name = name;
        this.lines = 0;
        this.tags = {kind: 'server', sampled: true};
    }
}

function trace(request) {
    const span = new Span(`${request.path} ${request.number}`);
    const original = logger.write;
    logger.write = function traced(line) {
        span.lines++;
        return original.call(logger, line);
    };
    return span;
}

function handle(request) {
    // One request in two is sampled.
    const span = request.number % 2 ? trace(request) : null;
    logger.write(`begin ${request.path}`);
    const total = request.body.lines.reduce((sum, line) => sum + line.quantity, 0);
    logger.write(`end ${request.path}`);
    return {total, lines: span?.lines};
}

steps({handle});
