/* SPDX-License-Identifier: MIT
 *
 * public_names_node.js: prints what Node.js calls its own, as JSON; public_names_node.py runs it with --expose-internals.
 *
 * Names come from the sources that node carries in itself and from keys of its built-in modules. Values are never looked at but
 * for keys and functions below them, so nothing of the machine can get in.
 */
"use strict";
const { internalBinding, primordials } = require("internal/test/binding");
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const module_ = require("module");

const names = new Set, texts = new Set, rare = new Set;
const natives = internalBinding("builtins").natives ?? process.binding("natives"); // Node.js 18 has them there

/* Libraries of others within Node.js: of these, only what a snapshot has is of use. */
const isLibrary = id => id.startsWith("internal/deps/");

/* What stands before names of properties, functions and classes; other names are variables. */
const LEADS_TO_MEMBER = new Set([".", "?.", "{", ",", "function", "class", "get", "set", "async", "}", ";"]);

function readSource(source, names, texts) {
    const options = { ecmaVersion: "latest", sourceType: "script", allowReturnOutsideFunction: true,
                      allowAwaitOutsideFunction: true, allowHashBang: true };
    let before = "";
    for (const { type, value } of acorn.tokenizer(source, options)) {
        if (type.label === "name" || type.label === "privateId")
            (LEADS_TO_MEMBER.has(before) ? names : rare).add(value);
        else if (type.label === "string" || type.label === "template")
            texts.add(value);
        before = type.label === "name" ? value : type.keyword ?? type.label;
    }
}

/* Keys of what can be reached; those of a snapshot are of use, many a constant is not. What holds things of the machine or of this process is left out. */
function walk(start, hidden) {
    const seen = new Set(hidden), todo = [start];
    while (todo.length) {
        const thing = todo.pop();
        if (thing === null || (typeof thing !== "object" && typeof thing !== "function") || seen.has(thing))
            continue;
        seen.add(thing);
        if (ArrayBuffer.isView(thing) || Array.isArray(thing))
            continue;
        todo.push(Object.getPrototypeOf(thing));
        for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(thing))) {
            rare.add(key);
            todo.push(d.value, d.get, d.set);
        }
        for (const key of Object.getOwnPropertySymbols(thing)) {
            rare.add(key.description ?? "");
            todo.push(Object.getOwnPropertyDescriptor(thing, key).value);
        }
        const name = typeof thing === "function" && Object.getOwnPropertyDescriptor(thing, "name")?.value;
        if (typeof name === "string")
            rare.add(name);
    }
}

for (const [id, source] of Object.entries(natives)) {
    if (typeof source !== "string")
        continue;
    texts.add(id);
    texts.add("node:" + id);
    texts.add(id + ".js");
    texts.add(`lib/${id}.js`);
    if (id !== "config" && !isLibrary(id))
        readSource(source, names, texts);
    else if (isLibrary(id))
        readSource(source, rare, rare);
}
const hidden = [process.env, process.argv, process.execArgv, require.cache,
                module_._cache, module_._pathCache, natives];
for (const id of module_.builtinModules.filter(id => !id.startsWith("internal/")))
    walk(require(id), hidden);
walk(globalThis, hidden);
walk(primordials, hidden);
for (const line of process.moduleLoadList) {
    const [, name] = /^Internal Binding (\w+)$/.exec(line) ?? [];
    if (name && !["builtins", "config", "credentials", "internal_only_v8", "symbols"].includes(name))
        walk(internalBinding(name), hidden);
    if (name === "symbols")
        Object.keys(internalBinding(name)).forEach(key => names.add(key));
}
const { options, aliases } = internalBinding("options").getCLIOptionsInfo?.() ?? internalBinding("options");
for (const [name, option] of options ?? []) {
    texts.add(name);
    texts.add(name.replace(/^--/, "--no-"));
    texts.add(option.helpText);
}
for (const [name, values] of aliases ?? [])
    [name, ...values].forEach(text => texts.add(text));
process.stdout.write(JSON.stringify({ names: [...names], texts: [...texts, ...rare].filter(t => typeof t === "string") }));
