// SPDX-License-Identifier: MIT
//
// Leaks. A few letters of each message are kept for a list of senders. They are slices, and each keeps the whole text
// of its message.
'use strict';
const {steps} = require('../steps.js');

class Sender {
    constructor(address) {
        this.address = address;
    }
}

class Senders {
    constructor() {
        this.latest = new Set();
    }

    note(text) {
        const from = text.indexOf('From: ') + 6;
        const sender = new Sender(text.slice(from, text.indexOf('\n', from)));
        this.latest.add(sender);
        return sender;
    }
}

const senders = new Senders();

function messageOf(request) {
    const text = [`To: shop@mail.example`, `From: ${request.user} <${request.user}@mail.example>`, request.body.note.repeat(40)].join('\n');
    return Buffer.from(text).toString('latin1'); // as it comes from a socket: flat
}

function handle(request) {
    return {from: senders.note(messageOf(request)).address};
}

steps({handle});
