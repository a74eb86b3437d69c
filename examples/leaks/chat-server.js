// SPDX-License-Identifier: MIT
//
// chat-server.js DIRECTORY: a server that streams the messages of a room to its visitors (server-sent events), and 200
// visitors who come, read the first message and go.
//
// The leak: each visitor adds a listener to the room, and nobody takes it off again. The listener keeps the session, the
// response and the socket of a visitor who has long gone. Node.js warned of it ("possible EventEmitter memory leak
// detected"), until somebody silenced the warning.
'use strict';
const http = require('node:http');
const {EventEmitter, once} = require('node:events');
const threeSnapshots = require('./three-snapshots.js');

const VISITORS = 200;

class Session {
    constructor(url) {
        this.visitor = new URL(url, 'http://localhost').searchParams.get('visitor');
        this.since = Date.now();
        this.delivered = [];
    }

    deliver(response, message) {
        this.delivered.push(message);
        response.write(`data: ${message}\n\n`);
    }
}

class Room extends EventEmitter {}

const room = new Room();
room.setMaxListeners(0);

const server = http.createServer((request, response) => {
    const session = new Session(request.url);
    response.writeHead(200, {'Content-Type': 'text/event-stream'});
    room.on('message', function onMessage(message) {
        session.deliver(response, message);
    });
    // Missing: response.on('close', () => room.off('message', onMessage));
    session.deliver(response, `Welcome, ${session.visitor}!`);
});

async function visit(port, visitor) {
    const request = http.get({port, path: `/room?visitor=${visitor}`, agent: false});
    const [response] = await once(request, 'response');
    await once(response, 'data');
    response.on('error', () => {}); // says that it was cut off
    request.destroy();
    await new Promise(resolve => response.once('close', resolve));
}

async function visits(port, count) {
    for (let i = 0; i < count; i++)
        await visit(port, `visitor-${i}`);
}

async function main() {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address();
    await threeSnapshots(process.argv[2], {warmUp: () => visits(port, 20), action: () => visits(port, VISITORS)});
    server.close();
    server.closeAllConnections();
}

main();
