// SPDX-License-Identifier: MIT
//
// Leaks. Each report races against one promise that is settled when the server stops. A race that is over stays among the reactions
// of that promise, and with it the report that it was settled with.
'use strict';
const {steps} = require('../steps.js');

class Report {
    constructor(title, rows) {
        this.title = title;
        this.rows = rows;
        this.pages = Math.ceil(rows.length / 2);
    }
}

class ReportServer {
    constructor() {
        this.stopping = new Promise(resolve => {
            this.stop = () => resolve(null);
        });
        this.made = 0;
    }

    async render(request) {
        await null; // as reading from a database
        this.made++;
        return new Report(`report ${request.number}`, request.body.lines.map(line => [line.sku, line.quantity]));
    }

    async report(request) {
        const report = await Promise.race([this.render(request), this.stopping]);
        return report === null ? {status: 503} : {status: 200, pages: report.pages};
    }
}

const server = new ReportServer();

steps({handle: request => server.report(request)});
