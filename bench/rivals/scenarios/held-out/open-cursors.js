// SPDX-License-Identifier: MIT
//
// Leaks. A search opens a cursor over a generator. Clients read one page and go; a cursor is forgotten only when its generator ends.
'use strict';
const {steps} = require('../steps.js');

const PAGE = 10;

function* matchesOf(words, catalogue) {
    const scored = catalogue.map((title, i) => ({title, score: (title.length * 7 + i) % (words.length + 13)}));
    scored.sort((a, b) => b.score - a.score);
    for (const {title} of scored)
        yield title;
}

class Cursor {
    constructor(id, words, catalogue) {
        this.id = id;
        this.words = words;
        this.rows = matchesOf(words, catalogue);
    }

    page() {
        const rows = [];
        for (let i = 0; i < PAGE; i++) {
            const {done, value} = this.rows.next();
            if (done)
                return {rows, done};
            rows.push(value);
        }
        return {rows, done: false};
    }
}

class SearchService {
    #cursors = new Map();
    #catalogue = Array.from({length: 40}, (_, i) => `product ${i} ${(i * 7919) % 1009}`);

    search(id, words) {
        const cursor = new Cursor(id, words, this.#catalogue);
        this.#cursors.set(id, cursor);
        return this.next(id);
    }

    next(id) {
        const page = this.#cursors.get(id).page();
        if (page.done)
            this.#cursors.delete(id);
        return page;
    }
}

const service = new SearchService();

function handle(request) {
    let page = service.search(request.number, request.body.note.split(' '));
    // Every fifth client reads to the end.
    while (request.number % 5 === 0 && !page.done)
        page = service.next(request.number);
    return page;
}

steps({handle});
