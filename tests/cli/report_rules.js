// SPDX-License-Identifier: MIT
//
// report_rules.js: every mistake that 'ubiheap report' finds in the heap of a script, for report_rules_test.py. A module of Node.js, which
// writes program.heapsnapshot, and of `ubiheap run`.
import {fill} from './node_modules/filler/index.mjs';

const isNode = typeof process === 'object' && Boolean(process.versions?.node);
const p = globalThis.program = {map: new Map(), weak: [], empty: [], sparse: [], texts: [], replies: [], waiting: []};

class Entry {
    constructor(i) {
        this.i = i;
        this.text = {a: {i}, b: {i}};
    }
}

p.package = fill();
for (let i = 0; i < 2000; i++)
    p.map.set(`k${i}`, new Entry(i));
(() => {
    for (let i = 0; i < 60000 && typeof WeakRef === 'function'; i++)
        p.weak.push(new WeakRef({i}));
})();
for (let i = 0; i < 2000; i++)
    p.empty.push(new Map());
for (let i = 0; i < 200; i++) {
    const slots = new Array(800);
    slots[5] = {i};
    p.sparse.push(slots);
}
for (let i = 0; i < 5000; i++)
    p.texts.push(JSON.parse(`"the same text of some length, again and again ${i % 3}"`));
p.long = JSON.parse(`"${'xyz'.repeat(700000)}"`);

async function waitForReply(id) {
    const request = {id, body: {a: {id}, b: {id}}};
    await new Promise(resolve => p.replies.push(resolve));
    return request;
}

for (let i = 0; i < 2000; i++)
    p.waiting.push(waitForReply(i));

function makeHandler() {
    const rows = Array.from({length: 8000}, (_, k) => ({k, x: {y: k}}));
    function neighbour() {
        return rows.length;
    }
    return {small() { return neighbour; }};
}

p.handler = makeHandler();

if (isNode) {
    const {EventEmitter} = await import('node:events');
    const v8 = await import('node:v8');
    p.buffer = new ArrayBuffer(4000000);
    p.emitter = new EventEmitter();
    p.emitter.setMaxListeners(0);
    for (let i = 0; i < 1000; i++) {
        p.emitter.on('x', () => i);
        setTimeout(() => p, 1e8);
    }
    await new Promise(done => setTimeout(done, 10)); // what WeakRefs refer to is kept until then
    v8.writeHeapSnapshot('program.heapsnapshot');
    process.exit();
}
