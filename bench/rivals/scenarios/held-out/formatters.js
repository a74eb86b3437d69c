// SPDX-License-Identifier: MIT
//
// Does not leak. Formatters and patterns are compiled when a language is first seen, and kept. There are forty languages, of which some
// are rare.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const LANGUAGES = ('ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu id is it ja kn ko lt lv ml mr ms nb nl pl pt ro ru sk sl '
    + 'sv ta').split(' ');

class LocaleTools {
    constructor(language) {
        this.language = language;
        this.number = new Intl.NumberFormat(language, {minimumFractionDigits: 2});
        this.word = new RegExp(`\\b${language}-[a-z]+\\b`, 'u');
        this.collator = new Intl.Collator(language);
        this.samples = Array.from({length: 6}, (_, i) => this.number.format(i * 1000.5));
    }
}

class Locales {
    constructor() {
        this.tools = new Map();
    }

    of(language) {
        let tools = this.tools.get(language);
        if (tools === undefined)
            this.tools.set(language, tools = new LocaleTools(language));
        return tools;
    }
}

const locales = new Locales(), random = randomFrom(11);

function handle(request) {
    const language = LANGUAGES[Math.floor(random() ** 2 * LANGUAGES.length)];
    const tools = locales.of(language);
    const names = request.body.lines.map(line => line.sku).sort(tools.collator.compare);
    return {names, total: tools.number.format(request.number), known: tools.word.test(request.body.note)};
}

steps({handle});
