// What findings.json.gz and bun-findings.json.gz were written from: each mistake that report sees in a heap of JavaScriptCore.
class Entry { constructor(i) { this.i = i; this.text = { a: { i }, b: { i }, c: { i }, d: { i }, e: { i }, f: { i } }; } }
globalThis.program = { list: [], table: {}, replies: [] };
function makeCache() {
    const cache = new Map();
    return function lookUp(key) {
        if (!cache.has(key))
            cache.set(key, new Entry(cache.size));
        return cache.get(key);
    };
}
program.lookUp = makeCache();
program.seen = new Set();
for (let i = 0; i < 240; i++) {
    program.lookUp({ key: i });
    program.seen.add(new Entry(i));
    program.list.push(new Entry(i));
    program.table["k" + i] = new Entry(i);
}
function makeHandler() {
    const rows = [];
    for (let i = 0; i < 20; i++)
        rows.push(new Array(120).fill(0).map((x, k) => ({ k, j: i * 0.5 })));
    function neighbour() { return rows.length; }
    return { small() { return neighbour; } };
}
program.handler = makeHandler();
async function waitForReply(id) {
    const request = { id, body: { a: { id }, b: { id }, c: { id }, d: { id }, e: { id }, f: { id }, g: { id }, h: { id }, i: { id } } };
    await new Promise(resolve => program.replies.push(resolve));
    return request;
}
program.waiting = [];
for (let i = 0; i < 120; i++)
    program.waiting.push(waitForReply(i));
program.buffer = new ArrayBuffer(1200000);
program.long = "x".repeat(70000) + Math.random();
program.then = [];
for (let i = 0; i < 20; i++) { const p = new Promise(() => {}); p.then(function thenHandler() { return i + p; }); program.then.push(p); }
program.settled = Promise.resolve({ x: 1 });
print(generateHeapSnapshotForGCDebugging());
