// SPDX-License-Identifier: MIT
//
// Leaks. A rate limiter counts hits per client and path in a plain object; what is long over stays, since only hits are forgotten,
// never a client.
'use strict';
const {steps} = require('../steps.js');

const WINDOW_TICKS = 100, MOST = 5;

class HitWindow {
    constructor() {
        this.hits = [];
        this.refused = 0;
    }

    hit(now) {
        while (this.hits.length && this.hits[0] <= now - WINDOW_TICKS)
            this.hits.shift();
        if (this.hits.length >= MOST) {
            this.refused++;
            return false;
        }
        this.hits.push(now);
        return true;
    }
}

class RateLimiter {
    constructor() {
        this.windows = Object.create(null);
        this.clock = 0;
    }

    allows(client, path) {
        const key = `${client}|${path}`;
        this.windows[key] ??= new HitWindow();
        return this.windows[key].hit(++this.clock);
    }
}

const limiter = new RateLimiter();

function handle(request) {
    if (!limiter.allows(request.user, request.path.split('/')[1]))
        return {status: 429};
    return {status: 200, items: request.body.lines.map(line => line.sku)};
}

steps({handle});
