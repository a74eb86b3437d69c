// SPDX-License-Identifier: MIT
//
// Leaks. A module keeps every error for a page of statistics. One request in two fails; each error has its stack, its
// cause and the request that it came of.
'use strict';
const {steps} = require('../steps.js');

class OrderError extends Error {
    constructor(message, options, request) {
        super(message, options);
        this.name = 'OrderError';
        this.request = request;
    }
}

const problems = {errors: [], counts: new Map()};

function note(error) {
    problems.errors.push(error);
    problems.counts.set(error.name, (problems.counts.get(error.name) ?? 0) + 1);
}

function parse(request) {
    if (request.number % 2)
        throw new TypeError(`quantity of ${request.number} is not a number`);
    return request.body.lines;
}

function handle(request) {
    try {
        return {lines: parse(request).length};
    } catch (error) {
        note(new OrderError('order refused', {cause: error}, request));
        return {status: 400, errors: problems.errors.length};
    }
}

steps({handle});
