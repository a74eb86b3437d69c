// SPDX-License-Identifier: MIT
//
// gate_programs.js: programs of one idea each, of which a gate over their snapshots must say the right thing.
//
//     node gate_programs.js NAME DIRECTORY    writes DIRECTORY/1.heapsnapshot to 3.heapsnapshot
//     node gate_programs.js --list            the names, as JSON
//
// A step is ROUNDS calls of the program's function, which gets a running number. Those under `leaks` keep more with each
// step, thousands of objects or megabytes, each in another sort of memory, and no more: what takes time is to write snapshots. Those under `healthy` grow, too, but come to an end.
'use strict';
const async_hooks = require('node:async_hooks');
const fs = require('node:fs');
const path = require('node:path');
const timers = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');

const ROUNDS = 32, KIB = 1024, MIB = 1024 * KIB;
const kept = [], byName = new Map();

function times(n, f) {
    for (let i = 0; i < n; i++)
        f(i);
}

const leaks = {
    'bigints in an array': n => times(600, i => kept.push(BigInt(n * 1e6 + i) << 400n)),
    'one huge bigint a time': n => kept.push(1n << BigInt(8 * 90 * KIB + n)),
    'bigints in a Map': n => times(500, i => byName.set(n * 1e6 + i, BigInt(n * 1e6 + i) << 400n)),
    'numbers that are boxed': n => {
        const o = Object.create(null);
        times(600, i => o[`k${i}`] = n + i / 7);
        kept.push(o);
    },
    'doubles in one sparse table': n => times(600, i => leaks.table[n * 1e7 + i * 5000] = i / 3 + n),
    'symbols': n => times(500, i => kept.push(Symbol(n * 1e5 + i))),
    'symbols in the registry': n => times(300, i => kept.push(Symbol.for(`key of ${n * 1e5 + i}`))),
    'array buffers': n => kept.push(new ArrayBuffer(90 * KIB)),
    'buffers': n => kept.push(Buffer.alloc(90 * KIB, n)),
    'one typed array that is copied to a larger one': n => {
        const larger = new Float64Array(leaks.typed.length + 12000);
        larger.set(leaks.typed);
        leaks.typed = larger;
    },
    'a resizable buffer': n => leaks.resizable.resize(leaks.resizable.byteLength + 90 * KIB),
    'shared memory': n => kept.push(new SharedArrayBuffer(90 * KIB)),
    'WebAssembly memory': n => leaks.wasm.grow(2),
    'a text that is added to': n => { leaks.text += Buffer.alloc(90 * KIB, `${n} `).latin1Slice(); },
    'a text that is added to line by line': n => times(500, i => { leaks.text += `line ${n} ${i}\n`; }),
    'a flat text that is added to': n => {
        leaks.text += Buffer.alloc(90 * KIB, `${n} `).latin1Slice();
        /x$/.test(leaks.text); // the engine makes one flat text of it
    },
    'slices of large texts': n => kept.push(`${n}`.padEnd(90 * KIB, 'x').slice(10, 60)),
    'keys of one object': n => times(500, i => { leaks.table[`user ${n} of ${i}`] = i; }),
    'numbers as keys': n => times(2500, i => { leaks.table[n * 1e6 + i * 17] = i; }),
    'numbers in a Set': n => times(4000, i => leaks.set.add(n * 1e6 + i)),
    'numbers in an array': n => times(12000, i => kept.push(i)),
    'doubles in an array': n => times(12000, i => kept.push(i / 3)),
    'a property on a function': n => times(500, i => { leaks.fn[`p${n}x${i}`] = i; }),
    'variables of closures': n => times(100, i => {
        const large = new Array(60).fill(n + i);
        kept.push(() => large);
    }),
    'closures that share a scope': n => {
        const before = leaks.last, large = new Array(12000).fill(n);
        const unused = () => before && large;
        leaks.last = {text: `${n}`, method() { return unused; }};
    },
    'new Function': n => times(20, i => kept.push(new Function(`return ${JSON.stringify(`${n}-${i}-`.repeat(600))}`))),
    'new Function that ran': n => times(30, i => {
        const f = new Function('a', `let s = 0; for (let i = 0; i < a; i++) s += i * ${n}.${i}; return {s, t: "${n}", u: [1, 2, s]};`);
        f(3);
        kept.push(f);
    }),
    'vm.Script': n => times(20, i => kept.push(new vm.Script(`"${`${n}-${i}-`.repeat(600)}"`))),
    'contexts': n => times(1, i => kept.push(vm.createContext({n}))),
    'eval': n => times(30, i => kept.push((0, eval)(`(function f${n}x${i}(a) { return a + ${n} + "${'x'.repeat(900)}"; })`))),
    'regular expressions': n => times(50, i => {
        const r = new RegExp(`^(a|b${n}|c${i})+x{1,${i + 2}}[a-z${i}]*$`);
        r.test('aabc');
        kept.push(r);
    }),
    'classes': n => times(30, i => kept.push(class { constructor() { this.a = n; } m() { return i; } static s = n; })),
    'shapes': n => times(40, i => {
        const o = {};
        times(8, j => { o[`p${n}_${i}_${j}`] = j; });
        kept.push(o);
    }),
    'objects with keys of their own': n => times(400, i => kept.push({[`a${n}x${i}`]: i, [`b${n}x${i}`]: [i]})),
    'promises that wait': n => times(250, i => kept.push(new Promise(() => {}))),
    'awaits that wait': n => times(100, i => (async () => { const large = new Array(20).fill(i); await leaks.never; return large; })()),
    'timers': n => times(200, i => setTimeout(() => n + i, 1e9).unref()),
    'async hooks': n => times(300, i => kept.push(new async_hooks.AsyncResource('REQUEST'))),
    'AsyncLocalStorage': n => times(150, i => leaks.storage.run({n, i, a: new Array(10)}, () => kept.push(new async_hooks.AsyncResource('R')))),
    'WeakRefs': n => times(750, i => kept.push(new WeakRef(leaks.target))),
    'records of a FinalizationRegistry': n => times(1000, i => leaks.registry.register(leaks.target, n * 1e6 + i)),
    'WeakMap entries of what lives': n => times(1000, i => {
        const key = {};
        kept.push(key);
        leaks.weak.set(key, n + i);
    }),
    'generators': n => times(100, i => {
        const g = (function* () { const large = new Array(20).fill(i); yield large; })();
        g.next();
        kept.push(g);
    }),
    'iterators': n => times(800, i => kept.push([1, 2, 3].values())),
    'proxies': n => times(1000, i => kept.push(new Proxy({}, {}))),
    'dates': n => times(800, i => kept.push(new Date(n + i))),
    'errors with stacks': n => times(50, i => kept.push(new Error(`number ${i}`))),
    'listeners': n => times(500, i => process.on(`never${n % 4}`, () => n + i)),
    'URLs': n => times(100, i => kept.push(new URL(`http://host/${n}/${i}`))),
    'text decoders': n => times(100, i => kept.push(new TextDecoder())),
    'hashes of crypto': n => times(150, i => kept.push(require('node:crypto').createHash('sha256'))),
    'zlib streams': n => kept.push(require('node:zlib').createGzip()),
    'message channels': n => times(15, i => kept.push(new MessageChannel())),
    'a native addon\'s external memory': n => kept.push(require('node:zlib').deflateRawSync(require('node:crypto').randomBytes(90 * KIB))),
    'Intl formatters': n => times(2, i => kept.push(new Intl.NumberFormat('de', {minimumFractionDigits: i}))),
    'arguments objects': n => times(600, i => kept.push((function () { return arguments; })(n, i, 'x'))),
    'modules': n => times(8, i => {
        const m = new (require('node:module'))(`/virtual/${n}-${i}.js`);
        m._compile(`module.exports = {n: ${n}, text: "${'x'.repeat(8000)}"}; exports.f = () => module;`, `/virtual/${n}-${i}.js`);
        require.cache[`/virtual/${n}-${i}.js`] = m;
    }),
};

const setups = {
    'doubles in one sparse table': () => { leaks.table = {}; },
    'keys of one object': () => { leaks.table = {}; },
    'numbers as keys': () => { leaks.table = {}; },
    'one typed array that is copied to a larger one': () => { leaks.typed = new Float64Array(10); },
    'a resizable buffer': () => { leaks.resizable = new ArrayBuffer(10, {maxByteLength: 1024 * MIB}); },
    'WebAssembly memory': () => { leaks.wasm = new WebAssembly.Memory({initial: 1}); },
    'a text that is added to': () => { leaks.text = ''; },
    'a text that is added to line by line': () => { leaks.text = ''; },
    'a flat text that is added to': () => { leaks.text = ''; },
    'numbers in a Set': () => { leaks.set = new Set(); },
    'a property on a function': () => { leaks.fn = function f() {}; },
    'awaits that wait': () => { leaks.never = new Promise(() => {}); },
    'AsyncLocalStorage': () => { leaks.storage = new async_hooks.AsyncLocalStorage(); },
    'WeakRefs': () => { leaks.target = {}; },
    'records of a FinalizationRegistry': () => { leaks.target = {}; leaks.registry = new FinalizationRegistry(() => {}); },
    'WeakMap entries of what lives': () => { leaks.weak = new WeakMap(); },
    'listeners': () => process.setMaxListeners(0),
};

/* Of these, three files cannot tell: a table had room for a step. */
const doubtful = {
    'numbers in a Map that has room': n => times(n % (2 * ROUNDS) < ROUNDS ? 8000 : 100, i => byName.set(n * 1e6 + i, i)),
};

/* Not leaks. */
const cache = new Map(), ring = new Array(500);
const healthy = {
    'nothing': () => {},
    'garbage': n => JSON.parse(JSON.stringify(Array.from({length: 20000}, (_, i) => ({i, n})))),
    'a cache that is full after the first step': n => { if (cache.size < ROUNDS) cache.set(n, Buffer.alloc(90 * KIB)); },
    'a cache of the latest bigints': n => {
        times(1200, i => cache.set(`${n}:${i}`, BigInt(n + i) << 400n));
        while (cache.size > 20000) cache.delete(cache.keys().next().value);
    },
    'a ring of results': n => times(400, i => { ring[(n * 400 + i) % 500] = {n, i, at: i / 7}; }),
    'one double that is replaced': n => times(1000, i => { (healthy.o ??= {}).latest = n + i / 3; }),
    'many objects with the latest double': n => {
        healthy.users ??= Array.from({length: 20000}, () => ({name: 'x', seen: 0.5}));
        healthy.users.forEach((u, i) => { u.seen = n + i / 3; });
    },
    'many objects with the latest bigint': n => {
        healthy.users ??= Array.from({length: 20000}, () => ({name: 'x', seen: 5n}));
        healthy.users.forEach((u, i) => { u.seen = BigInt(n) << 200n; });
    },
    'functions that become hot': n => {
        healthy.fns ??= Array.from({length: 400}, (_, i) => new Function('a', `let s = 0; for (let j = 0; j < a; j++) s = (s * 31 + j * ${i}) % 1000003; return {s, a};`));
        times(6, i => healthy.fns[(n * 6 + i) % 400](3000));
    },
    'functions compiled late': n => {
        healthy.lazy ??= Array.from({length: 3 * ROUNDS}, (_, i) => new Function('a', `return [${'a + 1, '.repeat(300)} a]`));
        healthy.lazy[n % (3 * ROUNDS)](1);
    },
    'modules that load late': n => {
        const names = require('node:module').builtinModules.filter(name => !/^_|wasi|sqlite|\/|trace|repl|inspector|test|sys|punycode/.test(name));
        require(names[n % names.length]);
    },
    'code that is made and dropped': n => times(30, i => new Function(`return "${`${n}-${i}-`.repeat(600)}"`)()),
    'contexts that come and go': n => vm.runInNewContext('1 + n', {n}),
    'promises that settle': async n => { await Promise.all(Array.from({length: 2000}, async (_, i) => { await null; return i; })); },
    'timers that fire': n => new Promise(done => times(200, i => setTimeout(done, 1))),
    'a table that is emptied': n => { (healthy.t ??= new Set()).add(n).size > 5 && healthy.t.clear(); times(20000, i => healthy.t.add(n * 1e6 + i)); },
    'texts that are replaced': n => { healthy.text = `${n} `.repeat(100 * KIB); },
    'buffers that are replaced': n => { healthy.buffer = Buffer.alloc(5 * MIB, n); },
    'JSON through a pool': n => { (healthy.pool ??= [])[n % 8] = JSON.parse(`{"a": [${Array.from({length: 5000}, (_, i) => i / 7)}]}`); },
};

async function main() {
    const [name, folder] = process.argv.slice(2);
    if (name === '--list') {
        console.log(JSON.stringify({leaks: Object.keys(leaks), doubtful: Object.keys(doubtful), healthy: Object.keys(healthy)}));
        return;
    }
    const step = leaks[name] ?? doubtful[name] ?? healthy[name];
    setups[name]?.();
    let number = 0;
    const serve = async () => {
        for (let i = 0; i < ROUNDS; i++)
            await step(number++);
    };
    fs.mkdirSync(folder, {recursive: true});
    await serve();
    for (let i = 1; i <= 3; i++) {
        if (i > 1)
            await serve();
        await timers.setTimeout(20);
        v8.writeHeapSnapshot(path.join(folder, `${i}.heapsnapshot`)); // collects garbage first
    }
    process.exit(0);
}

main();
