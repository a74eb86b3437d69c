// SPDX-License-Identifier: MIT
//
// Leaks. Each request leaves a callback for a report at midnight, which never comes. Beside it a table of hundreds of
// handlers, closures as well, is made again and again, so that far more closures go and come than leak.
'use strict';
const {steps} = require('../steps.js');

const HANDLERS = 400;

class Router {
    constructor() {
        this.handlers = [];
    }

    reload(version) {
        this.handlers = Array.from({length: HANDLERS}, (_, i) => request => request.number % HANDLERS === i ? version : -1);
    }

    route(request) {
        return this.handlers.reduce((found, handler) => Math.max(found, handler(request)), -1);
    }
}

class Midnight {
    constructor() {
        this.callbacks = [];
    }

    whenItComes(callback) {
        this.callbacks.push(callback);
    }
}

const router = new Router(), midnight = new Midnight();

function handle(request) {
    if (request.number % 40 === 1)
        router.reload(request.number);
    const totals = request.body.lines.map(line => line.quantity);
    midnight.whenItComes(function addToReport(report) {
        report.total += totals.reduce((sum, total) => sum + total, 0);
    });
    return {version: router.route(request)};
}

steps({handle});
