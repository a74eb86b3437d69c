// SPDX-License-Identifier: MIT
//
// Does not leak. Routes between the twenty stations of a network are computed once for each pair that is asked for: 190
// pairs, of which most are known before the second snapshot.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const STATIONS = 20;

class Route {
    constructor(from, to, stops) {
        this.from = from;
        this.to = to;
        this.stops = stops;
    }
}

class Network {
    constructor() {
        this.links = Array.from({length: STATIONS}, (_, i) => [(i + 1) % STATIONS, (i + 7) % STATIONS, (i * 3) % STATIONS]);
        this.routes = new Map();
    }

    search(from, to) {
        const before = new Map([[from, null]]), queue = [from];
        for (const station of queue) {
            if (station === to)
                break;
            for (const next of this.links[station])
                if (!before.has(next)) {
                    before.set(next, station);
                    queue.push(next);
                }
        }
        const stops = [];
        for (let at = to; at !== null; at = before.get(at) ?? null)
            stops.unshift(at);
        return new Route(from, to, stops);
    }

    route(from, to) {
        const key = Math.min(from, to) * STATIONS + Math.max(from, to);
        if (!this.routes.has(key))
            this.routes.set(key, this.search(from, to));
        return this.routes.get(key);
    }
}

const network = new Network(), random = randomFrom(5);

function handle(request) {
    return request.body.lines.map(() => {
        const from = Math.floor(random() * STATIONS);
        return network.route(from, (from + 1 + Math.floor(random() * (STATIONS - 1))) % STATIONS).stops.length;
    });
}

steps({handle});
