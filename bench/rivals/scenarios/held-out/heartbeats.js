// SPDX-License-Identifier: MIT
//
// Leaks. Each connection sends a heartbeat every half minute, by an interval that close() forgets to clear.
'use strict';
const {steps} = require('../steps.js');

const HEARTBEAT_MS = 30_000;

class Connection {
    constructor(user) {
        this.user = user;
        this.open = true;
        this.sent = [];
        this.heartbeat = setInterval(() => this.send({type: 'ping', user}), HEARTBEAT_MS);
        this.heartbeat.unref();
    }

    send(message) {
        if (this.open)
            this.sent.push(JSON.stringify(message));
    }

    close() {
        this.open = false;
        // Missing: clearInterval(this.heartbeat);
    }
}

class Hub {
    constructor() {
        this.connections = new Map();
    }

    connect(user) {
        const connection = new Connection(user);
        this.connections.set(user, connection);
        return connection;
    }

    leave(user) {
        this.connections.get(user)?.close();
        this.connections.delete(user);
    }
}

const hub = new Hub();

function handle(request) {
    const connection = hub.connect(request.user);
    for (const line of request.body.lines)
        connection.send({type: 'line', ...line});
    const sent = connection.sent.length;
    hub.leave(request.user);
    return {sent};
}

steps({handle});
