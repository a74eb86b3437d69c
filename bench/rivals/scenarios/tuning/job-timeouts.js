// SPDX-License-Identifier: MIT
//
// Leaks. Each job has ten minutes. The timer that would say that it takes too long is not cleared when the job is done.
'use strict';
const {steps} = require('../steps.js');

const MOST_MS = 600_000;

class Job {
    constructor(request) {
        this.name = `job ${request.number}`;
        this.input = request.body.lines.map(line => line.sku);
        this.output = null;
    }

    async run() {
        await null;
        this.output = this.input.map(sku => sku.toLowerCase());
        return this;
    }
}

class JobRunner {
    constructor() {
        this.done = 0;
        this.late = [];
    }

    async run(job) {
        setTimeout(() => {
            if (job.output === null)
                this.late.push(job.name);
        }, MOST_MS).unref();
        await job.run();
        this.done++;
        return job.output;
    }
}

const runner = new JobRunner();

steps({handle: request => runner.run(new Job(request))});
