/* SPDX-License-Identifier: MIT
 *
 * rich_heap.h: a script that makes hundreds of each kind of thing that a heap consists of.
 *
 * Of what the tools do not account for there are then enough to notice: 400 blocks of 16 bytes are more than a thousandth of that
 * heap. The self-test of the build runs it, and tests do.
 */
#ifndef UBI_QUICKJS_RICH_HEAP_H
#define UBI_QUICKJS_RICH_HEAP_H

static const char ubi__rich_heap[] =
    "globalThis.keep = [];\n"
    "function* generate(a, b) { let c = { a }; yield c; const d = [b]; yield d; return a; }\n"
    "async function wait(x) { const y = { x }; await new Promise(r => keep.push(r)); return y; }\n"
    "async function* stream(x) { const y = { x }; yield y; await new Promise(r => keep.push(r)); yield [y]; }\n"
    "class Base { #secret = { s: 1 }; static count = 0; get secret() { return this.#secret; } set secret(v) {} m() {} "
    "}\n"
    "class Derived extends Base { constructor(n) { super(); this.n = n; } m() { return super.m(); } }\n"
    "function mapped(a, b) { keep.push(arguments); return () => a + b; }\n"
    "function plain(...rest) { keep.push(arguments, rest); }\n"
    "for (let i = 0; i < 400; i++) {\n"
    "  const g = generate({ i }, 'generated ' + i); g.next(); if (i % 2) g.next(); keep.push(g);\n"
    "  if (i % 7 == 0) { g.next(); g.next(); }\n"
    "  keep.push(wait({ i }), Promise.resolve(i).then(v => ({ v })), Promise.reject(i).catch(() => {}));\n"
    "  const s = stream({ i }); keep.push(s, s.next(), s.next(), s.next(), s.return({ i }));\n"
    "  const m = new Map([[{ i }, { v: i }], ['k' + i, [i]]]); keep.push(m, new Set([{ i }, 'k' + i, i]));\n"
    "  const it = m.entries(); it.next(); m.delete('k' + i); keep.push(it, m.keys(), new Set([1]).values());\n"
    "  const w = new WeakMap(); const key = { key: i }; w.set(key, { value: i }); keep.push(w, key);\n"
    "  const ws = new WeakSet(); ws.add(key); ws.add({ gone: 1 }); w.set({ gone: 1 }, [1]); keep.push(ws);\n"
    "  keep.push(new RegExp('a(b+)' + i, 'g'), 'xaby'.matchAll(/b/g), [1, 2, 3].values(), 'abc'[Symbol.iterator]());\n"
    "  const b = new ArrayBuffer(64 + i); keep.push(b, new Uint8Array(b), new Float64Array(8), new DataView(b, 8));\n"
    "  keep.push(new SharedArrayBuffer(16), new BigInt64Array(4));\n"
    "  keep.push(new Proxy({ t: i }, { get(t, k) { return t[k]; } }), Proxy.revocable({}, {}));\n"
    "  keep.push(mapped.bind({ self: i }, 1, { arg: i }), new Derived(i), Object.create(null));\n"
    "  keep.push(mapped({ i }, [i]), plain(1, { i }), Symbol('s' + i), Symbol.for('f' + i));\n"
    "  keep.push(12345678901234567890n ** BigInt(i % 40), Object(1n), Object('boxed' + i), Object(Symbol('b')));\n"
    "  keep.push(new Date(i), new Error('e' + i), { get x() { return i; }, set x(v) {}, ['computed' + i]: 1 });\n"
    "  const o = { a: 1, b: 2, c: 3, d: 4 }; delete o.b; o['p' + i] = 'v'.repeat(i); keep.push(o, '\\u4e2d' + i);\n"
    "  keep.push(new Function('a', 'return a + ' + i), eval('(x => x + ' + i + ')'), `t${i}`, ((s) => s)`a${i}b`);\n"
    "  const cycle = { i }; cycle.self = cycle; const ring = [cycle]; cycle.ring = ring; keep.push(ring);\n"
    "  Object.defineProperty(o, Symbol('sym' + i), { value: { i }, enumerable: false });\n"
    "}\n"
    "if (globalThis.WeakRef) for (let i = 0; i < 400; i++) {\n"
    "  const r = new FinalizationRegistry(() => i), target = { i }, token = {};\n"
    "  r.register(target, [i], token); r.register({ gone: i }, { i }); r.register(token, i);\n"
    "  keep.push(r, target, token, new WeakRef(target), new WeakRef({ gone: i }));\n"
    "}\n"
    "if (globalThis.Iterator && Iterator.from) for (let i = 0; i < 400; i++) {\n"
    "  const helper = [1, 2, 3].values().map(x => x + i), wrapped = Iterator.from({ next() { return { done: false }; } "
    "});\n"
    "  helper.next(); keep.push(helper, wrapped); if (Iterator.concat) keep.push(Iterator.concat([1], [i]));\n"
    "}\n"
    "if (globalThis.DisposableStack) for (let i = 0; i < 400; i++) {\n"
    "  const stack = new DisposableStack(); stack.defer(() => i); keep.push(stack);\n"
    "}\n"
    "async function iterate() { for await (const x of [{ a: 1 }, Promise.resolve(2)]) await x; }\n"
    "keep.push(iterate());\n"
    "let lexical = { l: 1 }; const constant = [lexical]; var closure = (() => { let n = { n: 0 }; return () => n; "
    "})();\n";

#endif
