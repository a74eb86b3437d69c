// SPDX-License-Identifier: MIT
//
// Does not leak. An LRU cache of 120 rendered pages: it is full before the second snapshot, and from then on a page
// goes for each that comes.
'use strict';
const {steps} = require('../steps.js');

class RenderedPage {
    constructor(path, html) {
        this.path = path;
        this.html = html;
        this.etag = `${html.length}-${path}`;
    }
}

class LruCache {
    constructor(most) {
        this.most = most;
        this.entries = new Map();
    }

    get(key, make) {
        let value = this.entries.get(key);
        if (value === undefined)
            value = make();
        else
            this.entries.delete(key);
        this.entries.set(key, value);
        if (this.entries.size > this.most)
            this.entries.delete(this.entries.keys().next().value);
        return value;
    }
}

const pages = new LruCache(120);

function handle(request) {
    const page = pages.get(request.path, () => new RenderedPage(request.path, request.body.lines.map(line => line.sku).join()));
    return {etag: page.etag};
}

steps({handle});
