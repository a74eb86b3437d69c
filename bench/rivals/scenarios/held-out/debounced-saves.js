// SPDX-License-Identifier: MIT
//
// Does not leak. Drafts are saved a minute after the last change: each change of a document clears its timer and starts another. There
// are eighty documents.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const DOCUMENTS = 80, WAIT_MS = 60_000;

class Draft {
    constructor(text, author) {
        this.text = text;
        this.author = author;
        this.words = text.split(' ');
    }
}

class Editor {
    constructor() {
        this.drafts = new Map();
        this.timers = new Map();
        this.saved = 0;
    }

    change(id, draft) {
        this.drafts.set(id, draft);
        clearTimeout(this.timers.get(id));
        const timer = setTimeout(() => this.save(id, draft), WAIT_MS);
        timer.unref();
        this.timers.set(id, timer);
    }

    save(id, draft) {
        this.saved += draft.text.length;
        this.drafts.delete(id);
        this.timers.delete(id);
    }
}

const editor = new Editor(), random = randomFrom(13);

function handle(request) {
    editor.change(Math.floor(random() * DOCUMENTS), new Draft(request.body.note, request.user));
    return {waiting: editor.timers.size};
}

steps({handle});
