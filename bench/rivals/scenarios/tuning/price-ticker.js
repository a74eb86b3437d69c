// SPDX-License-Identifier: MIT
//
// Leaks. Each client listens to the ticker for as long as it is there; leave() forgets it, but not its listener.
'use strict';
const {EventEmitter} = require('node:events');
const {steps} = require('../steps.js');

class Ticker extends EventEmitter {
    constructor() {
        super();
        this.setMaxListeners(0);
        this.prices = new Map();
    }

    change(name, price) {
        this.prices.set(name, price);
        this.emit('price', name, price);
    }
}

class TickerClient {
    constructor(user, ticker) {
        this.user = user;
        this.seen = [];
        const client = this;
        ticker.on('price', function onPrice(name, price) {
            if (client.seen.length < 4)
                client.seen.push({name, price});
        });
    }
}

const ticker = new Ticker(), clients = new Map();

function handle(request) {
    const client = new TickerClient(request.user, ticker);
    clients.set(request.user, client);
    ticker.change(request.body.lines[0].sku, request.number);
    clients.delete(request.user);
    return {seen: client.seen.length};
}

steps({handle});
