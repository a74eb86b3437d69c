// SPDX-License-Identifier: MIT
//
// Does not leak. A book of prices per product: each new price takes the place of the one before. There are 140
// products, each of which also has its previous price.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const PRODUCTS = 140;

class Price {
    constructor(product, cents, since) {
        this.product = product;
        this.cents = cents;
        this.since = since;
        this.text = `${product}: ${cents}`;
    }
}

class PriceBook {
    constructor() {
        this.now = {};
        this.before = {};
    }

    set(price) {
        const known = this.now[price.product];
        if (known)
            this.before[price.product] = known;
        this.now[price.product] = price;
    }
}

const book = new PriceBook(), random = randomFrom(29);

function handle(request) {
    for (const line of request.body.lines)
        book.set(new Price(`product ${Math.floor(random() * PRODUCTS)}`, line.quantity * 100, request.number));
    return {products: Object.keys(book.now).length};
}

steps({handle});
