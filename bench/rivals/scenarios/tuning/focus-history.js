// SPDX-License-Identifier: MIT
//
// Leaks. A form is a tree of widgets with parents. The focus manager remembers where the focus was, to go back; forms
// that were closed are never taken out of this history.
'use strict';
const {steps} = require('../steps.js');

class Widget {
    constructor(name, parent) {
        this.name = name;
        this.parent = parent;
        this.children = [];
        parent?.children.push(this);
    }

    detach() {
        if (this.parent)
            this.parent.children = this.parent.children.filter(child => child !== this);
        this.parent = null;
    }
}

class FocusManager {
    constructor() {
        this.history = [];
        this.focused = null;
    }

    focus(widget) {
        if (this.focused)
            this.history.push(this.focused);
        this.focused = widget;
    }
}

const desktop = new Widget('desktop', null), focus = new FocusManager();

function handle(request) {
    const form = new Widget(`form ${request.number}`, desktop);
    for (const line of request.body.lines) {
        const row = new Widget(line.sku, form);
        new Widget('label', row);
        new Widget('field', row);
    }
    focus.focus(form.children[0].children[1]);
    form.detach();
    return {forms: desktop.children.length};
}

steps({handle});
