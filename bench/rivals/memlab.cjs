// SPDX-License-Identifier: MIT
//
// memlab.cjs FILE: opens a .heapsnapshot as memlab's analyses do (its parser, then dominators and retained sizes), and
// prints totals as one line of JSON. NODE_PATH says where the package is.
//
// memlab has no table of classes with retained sizes. Its analyses walk over the nodes, so one walk is part of the
// measurement: it adds up own sizes and counts objects by type and name.
const {getFullHeapFromFile} = require('@memlab/heap-analysis');
const {config} = require('@memlab/core');

config.muteConsole = true;

getFullHeapFromFile(process.argv[2]).then(heap => {
    const counts = new Map();
    let selfSize = 0, largest = 0;
    heap.nodes.forEach(node => {
        selfSize += node.self_size;
        largest = Math.max(largest, node.retainedSize);
        const key = `${node.type} ${node.type === 'object' || node.type === 'native' ? node.name : ''}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    console.log(JSON.stringify({
        nodes: heap.nodes.length,
        edges: heap.edges.length,
        totalSize: selfSize,
        largestRetained: largest,
        kinds: counts.size,
    }));
    process.exit(0);
});
