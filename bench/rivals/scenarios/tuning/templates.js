// SPDX-License-Identifier: MIT
//
// Does not leak. Templates are compiled into functions when they are first used, and kept: there are 110, all of which
// have been used before the third snapshot.
'use strict';
const {steps} = require('../steps.js');

const TEMPLATES = 110;

class Template {
    constructor(number) {
        this.source = Array.from({length: 3 + number % 4}, (_, i) => `<p class="c${i}">{{user}} {{note}} ${number}</p>`).join('\n');
        this.parts = this.source.split(/(\{\{\w+\}\})/).map(text => ({text, isField: text.startsWith('{{')}));
        this.render = new Function('values', `return ${this.parts
            .map(part => part.isField ? `values.${part.text.slice(2, -2)}` : JSON.stringify(part.text)).join(' + ')};`);
    }
}

const compiled = new Map();

function handle(request) {
    const number = (request.number * 7) % TEMPLATES;
    if (!compiled.has(number))
        compiled.set(number, new Template(number));
    return {html: compiled.get(number).render({user: request.user, note: request.body.note}).length};
}

steps({handle});
