// SPDX-License-Identifier: MIT
//
// Leaks. All transfers listen to one signal that says that the program shall end. Those that are done do not take their
// listener off.
'use strict';
const {steps} = require('../steps.js');
const {setMaxListeners} = require('node:events');

class Transfer {
    constructor(from, to, amount) {
        this.from = from;
        this.to = to;
        this.amount = amount;
        this.state = 'begun';
    }

    cancel() {
        this.state = this.state === 'begun' ? 'cancelled' : this.state;
    }
}

class Bank {
    constructor() {
        this.ending = new AbortController();
        setMaxListeners(0, this.ending.signal);
        this.volume = 0;
    }

    async transfer(request) {
        const transfer = new Transfer(request.user, 'shop', request.number);
        this.ending.signal.addEventListener('abort', () => transfer.cancel());
        await null;
        this.volume += transfer.amount;
        transfer.state = 'done';
        return {volume: this.volume};
    }
}

const bank = new Bank();

steps({handle: request => bank.transfer(request)});
