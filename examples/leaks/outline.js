// SPDX-License-Identifier: MIT
//
// outline.js DIRECTORY: an editor that makes an outline of a text with every key that is pressed, and marks lines that are
// too long.
//
// The leak: marks are kept in a Map whose keys are nodes of the outline. The next key press makes a new outline, but the
// Map still holds some nodes of the old one, each of which leads to its parent, and the parent to all the rest. A WeakMap
// would have let go.
'use strict';
const threeSnapshots = require('./three-snapshots.js');

const KEY_PRESSES = 40, LONGEST_LINE = 60;

class OutlineNode {
    constructor(parent, level, text) {
        this.parent = parent;
        this.level = level;
        this.text = text;
        this.children = [];
        parent?.children.push(this);
    }
}

function makeOutline(text) {
    const root = new OutlineNode(null, 0, '');
    let section = root;
    for (const line of text.split('\n')) {
        const level = /^#*/.exec(line)[0].length;
        if (level > 0) {
            while (section.level >= level)
                section = section.parent;
            section = new OutlineNode(section, level, line.slice(level).trim());
        } else {
            new OutlineNode(section, Infinity, line);
        }
    }
    return root;
}

class Editor {
    constructor(text) {
        this.text = text;
        this.marks = new Map(); // should be a WeakMap
        this.outline = null;
    }

    press(key) {
        this.text += key;
        this.outline = makeOutline(this.text);
        this.check(this.outline);
    }

    check(node) {
        if (node.text.length > LONGEST_LINE)
            this.marks.set(node, {kind: 'warning', text: `${node.text.length} characters in a line`});
        for (const child of node.children)
            this.check(child);
    }
}

function someText() {
    const lines = ['# Heaps'];
    for (let chapter = 1; chapter <= 5; chapter++) {
        lines.push(`## Chapter ${chapter}`);
        for (let i = 1; i <= 20; i++)
            lines.push(`Sentence ${i} of chapter ${chapter}.`);
    }
    lines.push('This is the one sentence of the text that is longer than a line should be.', '');
    return lines.join('\n');
}

const editor = new Editor(someText());
const type = count => {
    for (let i = 0; i < count; i++)
        editor.press('abcdefgh '[i % 9]);
};

module.exports = editor; // for plug-ins

threeSnapshots(process.argv[2], {warmUp: () => type(5), action: () => type(KEY_PRESSES)});
