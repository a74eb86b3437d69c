// SPDX-License-Identifier: MIT
//
// Does not leak. Each of 900 sensors has its latest reading: with each step a part of them gets another one, which takes the place of
// the one before.
'use strict';
const {steps} = require('../steps.js');

class Sensor {
    constructor(number) {
        this.number = number;
        this.latest = {value: 0, text: `${number}: nothing yet`};
    }
}

const sensors = Array.from({length: 900}, (_, i) => new Sensor(i));

function handle(request) {
    const sensor = sensors[(request.number * 7) % sensors.length];
    sensor.latest = {value: request.number, text: `${sensor.number}: ${request.path}`};
    return {text: sensor.latest.text};
}

steps({handle});
