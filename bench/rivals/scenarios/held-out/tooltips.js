// SPDX-License-Identifier: MIT
//
// Leaks. Pages are trees of nodes with parents, and each navigation replaces the page. Tooltips are remembered by the node that they
// belong to, in a Map that no one cleans up; one node keeps the whole detached page through its parent.
'use strict';
const {steps} = require('../steps.js');

class ViewNode {
    constructor(tag, text = '') {
        this.tag = tag;
        this.text = text;
        this.parent = null;
        this.children = [];
    }

    append(...children) {
        for (const child of children) {
            child.parent = this;
            this.children.push(child);
        }
        return this;
    }

    remove() {
        const siblings = this.parent.children;
        siblings.splice(siblings.indexOf(this), 1);
        this.parent = null;
    }
}

class Tooltips {
    constructor() {
        this.byNode = new Map();
    }

    attach(node, text) {
        this.byNode.set(node, {text, shown: 0});
    }
}

class Screen {
    constructor() {
        this.root = new ViewNode('body');
        this.tooltips = new Tooltips();
    }

    show(page) {
        for (const old of [...this.root.children])
            old.remove();
        this.root.append(page);
    }
}

const screen = new Screen();

function pageOf(request) {
    const list = new ViewNode('ul');
    for (const line of request.body.lines)
        list.append(new ViewNode('li').append(new ViewNode('b', line.sku), new ViewNode('i', `${line.quantity}`)));
    const title = new ViewNode('h1', request.body.note);
    screen.tooltips.attach(title, `order ${request.number}`);
    return new ViewNode('main').append(title, list);
}

function handle(request) {
    screen.show(pageOf(request));
    return {nodes: screen.root.children[0].children.length};
}

steps({handle});
