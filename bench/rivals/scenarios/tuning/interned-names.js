// SPDX-License-Identifier: MIT
//
// Does not leak. Names from requests are interned: equal ones become one object with an own number. There are 260
// products, all seen in the first two steps, and statistics of each.
'use strict';
const {steps} = require('../steps.js');

class Name {
    constructor(text, number) {
        this.text = text;
        this.number = number;
        this.seen = 0;
    }
}

class Interner {
    constructor() {
        this.names = new Map();
        this.byNumber = [];
    }

    intern(text) {
        let name = this.names.get(text);
        if (!name) {
            name = new Name(text, this.byNumber.length);
            this.names.set(text, name);
            this.byNumber.push(name);
        }
        name.seen++;
        return name;
    }
}

const interner = new Interner();

function handle(request) {
    return request.body.lines.map((line, i) => interner.intern(`product-${(request.number * 5 + i) % 260}`).number);
}

steps({handle});
