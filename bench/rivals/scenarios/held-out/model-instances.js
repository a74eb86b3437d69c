// SPDX-License-Identifier: MIT
//
// Leaks. A base class registers every instance in a static set, for a debugging page that nobody opens.
'use strict';
const {steps} = require('../steps.js');

class Model {
    static instances = new Set();

    constructor(id) {
        this.id = id;
        this.changed = new Set();
        new.target.instances.add(this);
    }

    set(field, value) {
        this[field] = value;
        this.changed.add(field);
        return this;
    }
}

class Customer extends Model {
    static known = new Map();

    static of(number) {
        const id = number % 25;
        if (!Customer.known.has(id))
            Customer.known.set(id, new Customer(id).set('name', `customer ${id}`));
        return Customer.known.get(id);
    }
}

class Invoice extends Model {
    add(line) {
        (this.lines ??= []).push({...line, price: line.quantity * 1.25});
        return this;
    }

    total() {
        return this.lines.reduce((sum, line) => sum + line.price, 0);
    }
}

function handle(request) {
    const invoice = new Invoice(request.number).set('customer', Customer.of(request.number));
    for (const line of request.body.lines)
        invoice.add(line);
    return {id: invoice.id, total: invoice.total()};
}

steps({handle});
