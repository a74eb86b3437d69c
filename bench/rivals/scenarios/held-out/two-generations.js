// SPDX-License-Identifier: MIT
//
// Does not leak. A cache of two generations: what is used moves to the young one; when that has 120 entries it becomes the old one, and
// the old one goes.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const GENERATION = 120, PAGES = 2000;

class Page {
    constructor(number) {
        this.number = number;
        this.html = `<h1>${number}</h1>${'<p>text</p>'.repeat(number % 7)}`;
        this.links = [number * 2, number * 3].map(to => ({to, rel: 'next'}));
    }
}

class PageCache {
    constructor() {
        this.young = new Map();
        this.old = new Map();
        this.hits = 0;
    }

    get(number) {
        const page = this.young.get(number) ?? this.old.get(number);
        this.hits += page ? 1 : 0;
        const found = page ?? new Page(number);
        this.young.set(number, found);
        if (this.young.size >= GENERATION) {
            this.old = this.young;
            this.young = new Map();
        }
        return found;
    }
}

const cache = new PageCache(), random = randomFrom(17);

function handle() {
    // Some pages are read far more often than others.
    const page = cache.get(Math.floor(random() ** 3 * PAGES));
    return {length: page.html.length, hits: cache.hits};
}

steps({handle});
