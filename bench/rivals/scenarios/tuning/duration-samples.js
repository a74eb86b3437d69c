// SPDX-License-Identifier: MIT
//
// Leaks. How long everything took is kept, to compute percentiles some day: numbers in arrays, and not one new object.
'use strict';
const {steps} = require('../steps.js');

const PARTS = 400;

class Durations {
    constructor() {
        this.samples = [];
    }

    add(milliseconds) {
        this.samples.push(milliseconds);
    }
}

const durations = new Durations();

function handle(request) {
    for (let i = 0; i < PARTS; i++)
        durations.add(request.number + i / PARTS);
    return {samples: durations.samples.length};
}

steps({handle});
