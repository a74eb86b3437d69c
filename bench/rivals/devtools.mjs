// SPDX-License-Identifier: MIT
//
// devtools.mjs DIR FILE: opens a .heapsnapshot as the Memory panel of Chrome's developer tools does and shows its Summary
// as one line of JSON.
//
// All the work is done by the worker code of the package chrome-devtools-frontend, unmodified, which DIR holds as
// install.sh bundled it. As in a browser there are two workers: one reads and analyses, the other computes retainers,
// dominators and retained sizes beside it. This program plays the panel: it hands over the file in pieces of 10 MB, as
// the panel does, and asks for what the panel shows first.
import {open} from 'node:fs/promises';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const PIECE_BYTES = 10_000_000;
const [, , directory, file] = process.argv;
const bundled = name => pathToFileURL(resolve(directory, name)).href;
const {HeapSnapshotProxy} = await import(bundled('proxy.mjs'));

const complaints = {error: text => console.error(text)};
const worker = new HeapSnapshotProxy.HeapSnapshotWorkerProxy(() => {}, complaints, bundled('worker.mjs'));

let header = '';
async function load() {
    return new Promise((received, failed) => {
        const loader = worker.createLoader(1, received);
        (async () => {
            const input = await open(file);
            const decoder = new TextDecoder();
            const piece = new Uint8Array(PIECE_BYTES);
            for (;;) {
                const {bytesRead} = await input.read(piece, 0, PIECE_BYTES);
                const text = decoder.decode(piece.subarray(0, bytesRead), {stream: bytesRead > 0});
                header ||= text.slice(0, 100_000);
                await loader.write(text);
                if (bytesRead === 0)
                    break;
            }
            await input.close();
            await loader.close();
        })().catch(failed);
    });
}

const snapshot = await load();
const statistics = await snapshot.getStatistics();
const aggregates = await snapshot.aggregatesWithFilter({});
const classes = Object.values(aggregates)
    .map(({name, count, self, maxRet}) => ({name, count, selfSize: self, retainedSize: maxRet}))
    .sort((a, b) => b.retainedSize - a.retainedSize || (a.name < b.name ? -1 : 1));
console.log(JSON.stringify({
    nodes: snapshot.nodeCount,
    edges: Number(/"edge_count":\s*(\d+)/.exec(header)[1]),
    totalSize: snapshot.totalSize,
    statisticsTotal: statistics.total,
    classCount: classes.length,
    classes: classes.slice(0, 10),
}));
process.exit(0);
