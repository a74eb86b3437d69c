// SPDX-License-Identifier: MIT
// Puts a word of nobody's, which begins with zq, into each kind of place that a heap has for texts, prints where, and takes a
// snapshot of itself: node node_secrets.js FILE
"use strict";
const events = require("events"), fs = require("fs"), http = require("http"), v8 = require("v8"), vm = require("vm");
const { AsyncLocalStorage, AsyncResource } = require("async_hooks");

const keep = globalThis.zqglobal = [];
class zqclass {
    #zqprivate = 1;
    static zqstatic = 2;
    zqmethod() { return this.#zqprivate }
    get zqgetter() { return 1 }
    set zqsetter(value) { }
}
keep.push(new zqclass, new class zqsubclass extends Map { });
keep.push({ zqproperty: "zqvalue, in a sentence", "zqblank property": 1, "zq-dash": 1, "12zqdigits": 1, "zqslash / x": 1,
            "(zqparentheses)": 1, "<zqangle>": 1, "zqdotted.name": 1, "get zqfalsegetter": 1, "<symbol zqfalsesymbol>": 1 });
keep.push(Symbol("zqsymbol"), Symbol.for("zqregistered"), { [Symbol("zqsymbolkey")]: 1 });
keep.push(new Map([["zqmapkey", { zqmapvalue: 1 }]]), new Set(["zqsetmember"]), /zqregexp[a-z]+/gi, new RegExp("zqnewregexp\\d"));
keep.push(function zqfunction() { return "zqinsource" }, async function zqasync() { }, function* zqgenerator() { });
keep.push((0, eval)("(function zqevaluated(zqparameter) { let zqlocal = 1; return () => zqlocal + zqparameter })")("zqargument"));
keep.push({ "(zqbuiltin builtin code)"() { }, "(zqbuiltin2 builtin)"() { }, "zqwords of a method"() { }, "node:zqmodule"() { },
            "system / Zqsystem"() { } });
keep.push(`zqtemplate ${process.argv.length}`, String.raw`zqraw`, new Error("zqmessage"), new Function("zqformal", "return 'zqbody'"));
keep.push(("zqsliced" + "s".repeat(100)).slice(0, 60), "zqjoined" + String(process.argv.length).repeat(40));
keep.push(new URL("https://zquser:zqpassword@zqhost.example/zqpath?zqquery=1#zqfragment"), JSON.parse('{"zqjson":"zqjsonvalue"}'));
keep.push(process.env.ZQ_SECRET, process.argv, "zq\u00fcnicode", "zqn\u0000ull", "zqlone\ud800", new Proxy({ zqproxied: 1 }, { zqtrap: 1 }));
keep.push("4111111111114242", "zq@mail.example", "10.77.88.99", "+49 171 5550173", { "4111111111114243": 1, 4711421147: 1 });
const sparse = [];
sparse[471142] = { zqsparse: 1 };
keep.push(sparse);
for (const [name, filename] of [["a", "node:internal/zqfalsemodule"], ["b", "node:zqother/zqdeep"], ["c", "/zqfolder/zqfile.js"], ["d", "zqplain.js"],
                                ["e", "https://zqsite.example/zqscript.mjs?zqsearch=1"]])
    vm.runInThisContext(`globalThis.zqvm${name} = function zqin${name}() { }`, { filename });
keep.push(new WeakMap([[keep[0], { zqweak: 1 }]]), new AsyncResource("zqresource"), http.createServer(function zqhandler() { }));
const weakly = {}, weak = new WeakMap([[weakly, "zqweakstring"]]);
keep.push(weakly, weak, new events().on("zqevent", function zqlistener() { }), fs.createReadStream(__filename));
new AsyncLocalStorage().run({ zqstore: 1 }, () => keep.push(setTimeout(function zqtimer() { }, 1e9)));
keep.push(Object.defineProperty({}, "zqdefined", { get: function zqdefinedget() { } }));
process.on("zqprocessevent", () => { });
process.title = "zqtitle";
v8.writeHeapSnapshot(process.argv[2]);
process.exit(0);
