// SPDX-License-Identifier: MIT
//
// Leaks. What a customer saw last stays with him for good: each of the thousands that were loaded at start gets one when he comes for
// the first time, and there are always some who come for the first time.
'use strict';
const {steps} = require('../steps.js');

class Customer {
    constructor(number) {
        this.number = number;
        this.visit = null;
    }
}

class Visit {
    constructor(request) {
        this.path = request.path;
        this.at = new Date(1e12 + request.number * 1000);
        this.skus = request.body.lines.map(line => line.sku);
    }
}

const customers = Array.from({length: 6000}, (_, i) => new Customer(i));

function handle(request) {
    const customer = customers[request.number % customers.length];
    customer.visit = new Visit(request);
    return {customer: customer.number};
}

steps({handle});
