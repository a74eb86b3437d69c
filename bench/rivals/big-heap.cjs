// SPDX-License-Identifier: MIT
//
// big-heap.cjs OUT FILES MIX: fills its own heap with the syntax trees of FILES source files, parsed by TypeScript, and
// with MIX users and what belongs to them, and writes a snapshot of it to OUT. NODE_PATH says where the packages are;
// their sources are what is parsed.
//
// The heap is the same every time with one version of Node.js; ids and the sizes of V8's own tables differ a little.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const ts = require('typescript');

const [, , out, files, mix] = process.argv;
const SOURCE = /\.(ts|js|mjs|cjs)$/, SMALLEST = 2_000, LARGEST = 200_000; // bytes

function* sources(folder) {
    const entries = fs.readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
        const name = path.join(folder, entry.name);
        if (entry.isDirectory()) {
            yield* sources(name);
        } else if (entry.isFile() && SOURCE.test(name)) {
            const {size} = fs.statSync(name);
            if (SMALLEST < size && size < LARGEST)
                yield name;
        }
    }
}

globalThis.trees = [];
for (const name of sources(process.env.NODE_PATH)) {
    if (globalThis.trees.length === Number(files))
        break;
    const text = fs.readFileSync(name, 'utf8');
    globalThis.trees.push(ts.createSourceFile(path.basename(name), text, ts.ScriptTarget.Latest, true));
}
globalThis.data = require('./mixed-data.cjs')(Number(mix));

// V8 finds the line of a function by scanning its source, unless somebody made it a table of lines before. A stack trace
// does; without this, one closure after the other scans the 9 MB of typescript.js.
try {
    ts.createSourceFile('x.ts', undefined, 99);
} catch (error) {
    String(error.stack);
}
globalThis.gc?.();
v8.writeHeapSnapshot(out);
const what = `${globalThis.trees.length} source files, ${mix} users`;
console.error(`${path.basename(out, '.part')}: ${what}, ${fs.statSync(out).size} bytes`);
