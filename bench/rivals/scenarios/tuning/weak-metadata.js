// SPDX-License-Identifier: MIT
//
// Leaks. What is known about a product is in a WeakMap, as it should be; but what is known refers back to the product, and
// is also found by its name, in a Map that keeps it.
'use strict';
const {steps} = require('../steps.js');

class Product {
    constructor(sku, number) {
        this.sku = sku;
        this.number = number;
        this.prices = [number, number * 2];
    }
}

class Metadata {
    constructor(product) {
        this.product = product;
        this.words = `${product.sku} ${product.number}`.split(' ');
    }
}

class Catalogue {
    constructor() {
        this.metadata = new WeakMap();
        this.byName = new Map();
    }

    describe(product) {
        let metadata = this.metadata.get(product);
        if (!metadata) {
            metadata = new Metadata(product);
            this.metadata.set(product, metadata);
            this.byName.set(`${product.sku}/${product.number}`, metadata);
        }
        return metadata;
    }
}

const catalogue = new Catalogue();

function handle(request) {
    const products = request.body.lines.map(line => new Product(line.sku, request.number));
    return products.map(product => catalogue.describe(product).words.length);
}

steps({handle});
