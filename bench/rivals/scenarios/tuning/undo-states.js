// SPDX-License-Identifier: MIT
//
// Leaks. Each edit makes a new state of the document that shares most with the one before, and refers to it for undo.
// The chain has no end; an LRU of rendered pages beside it has one.
'use strict';
const {steps} = require('../steps.js');

const PAGES = 40, PARAGRAPHS = 30;

class DocumentState {
    constructor(paragraphs, previous) {
        this.paragraphs = paragraphs;
        this.previous = previous;
    }

    edit(at, text) {
        const paragraphs = this.paragraphs.slice();
        paragraphs[at] = {text, version: (paragraphs[at].version ?? 0) + 1};
        return new DocumentState(paragraphs, this);
    }
}

class RenderedPage {
    constructor(number, html) {
        this.number = number;
        this.html = html;
    }
}

class TextEditor {
    constructor() {
        this.state = new DocumentState(Array.from({length: PARAGRAPHS}, () => ({text: '', version: 0})), null);
        this.pages = new Map();
    }

    type(number, text) {
        this.state = this.state.edit(number % PARAGRAPHS, text);
        this.pages.set(number, new RenderedPage(number, `<p>${text}</p>`));
        if (this.pages.size > PAGES)
            this.pages.delete(this.pages.keys().next().value);
        return this.pages.get(number).html.length;
    }
}

const editor = new TextEditor();

function handle(request) {
    return {length: editor.type(request.number, request.body.note)};
}

steps({handle});
