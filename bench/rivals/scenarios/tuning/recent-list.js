// SPDX-License-Identifier: MIT
//
// Does not leak. The last 320 visits as plain objects in an array, from which the oldest is taken: it is not full
// before the third snapshot.
'use strict';
const {steps} = require('../steps.js');

const MOST = 320;

class Dashboard {
    constructor() {
        this.visits = [];
        this.areas = {};
    }

    visited(request) {
        const area = request.path.split('/')[1];
        this.visits.push({user: request.user, area, lines: request.body.lines.length});
        if (this.visits.length > MOST)
            this.visits.shift();
        this.areas[area] = (this.areas[area] ?? 0) + 1;
    }

    lines() {
        return this.visits.reduce((sum, visit) => sum + visit.lines, 0);
    }
}

const dashboard = new Dashboard();

function handle(request) {
    dashboard.visited(request);
    return {lines: dashboard.lines(), areas: Object.keys(dashboard.areas).length};
}

steps({handle});
