// SPDX-License-Identifier: MIT
//
// Leaks. Mails go into a linked queue that is worked off once the mail server answers. It never does, and the queue has no end.
'use strict';
const {steps} = require('../steps.js');

class Mail {
    constructor(to, subject, text) {
        this.to = to;
        this.subject = subject;
        this.text = text;
        this.attempts = 0;
    }
}

class Queue {
    constructor() {
        this.first = null;
        this.last = null;
        this.length = 0;
    }

    push(value) {
        const link = {value, next: null};
        if (this.last)
            this.last.next = link;
        else
            this.first = link;
        this.last = link;
        this.length++;
    }

    shift() {
        const {value, next} = this.first;
        this.first = next;
        this.last = next ? this.last : null;
        this.length--;
        return value;
    }
}

class Mailer {
    constructor() {
        this.outbox = new Queue();
        this.online = false;
    }

    send(mail) {
        this.outbox.push(mail);
        this.outbox.first.value.attempts++;
        while (this.online && this.outbox.length)
            this.outbox.shift();
    }
}

const mailer = new Mailer();

function handle(request) {
    const text = request.body.lines.map(line => `${line.quantity} x ${line.sku}`).join('\n');
    mailer.send(new Mail(`${request.user}@mail.example`, `Your order ${request.number}`, text));
    return {queued: mailer.outbox.length};
}

steps({handle});
