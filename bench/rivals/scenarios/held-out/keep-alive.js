// SPDX-License-Identifier: MIT
//
// Does not leak. A real HTTP server and clients that keep connections alive: sockets are opened until each client has its own, and are
// used again from then on.
'use strict';
const http = require('node:http');
const {once} = require('node:events');
const {steps} = require('../steps.js');

const CLIENTS = 12;

class Visit {
    constructor(request) {
        this.path = request.url;
        this.agent = request.headers['user-agent'];
    }
}

class Statistics {
    constructor() {
        this.byPath = new Map();
    }

    count(visit) {
        const area = visit.path.split('/')[1];
        this.byPath.set(area, (this.byPath.get(area) ?? 0) + 1);
    }
}

const statistics = new Statistics();
const agents = Array.from({length: CLIENTS}, () => new http.Agent({keepAlive: true, maxSockets: 1}));
const server = http.createServer((request, response) => {
    statistics.count(new Visit(request));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({seen: [...statistics.byPath]}));
});
server.keepAliveTimeout = 600_000;

async function fetchText(path, agent) {
    const [response] = await once(http.get({port: server.address().port, path, agent}), 'response');
    response.setEncoding('utf8');
    let text = '';
    response.on('data', part => {
        text += part;
    });
    await once(response, 'end');
    return text;
}

async function handle(request) {
    if (!server.listening) {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
    }
    return fetchText(request.path, agents[request.number % CLIENTS]);
}

steps({handle, requests: 120, warmUp: 6});
