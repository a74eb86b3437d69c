// Case 31: every text of sections 1 to 7, and shapes of the objects.

const dbg = new Debugger(), m = dbg.memory, proto = Debugger.Memory.prototype;
const descriptor = name => Object.getOwnPropertyDescriptor(proto, name);
const names = ["constructor", "trackingAllocationSites", "maxAllocationsLogLength", "allocationSamplingProbability",
    "allocationsLogOverflowed", "onGarbageCollection", "drainAllocationsLog", "takeCensus"];

// Section 1: objects.
assertEq(dbg.memory, m, "always the same object");
assert(new Debugger().memory !== m);
assertEq(Object.prototype.toString.call(m), "[object Object]");
assertEq(dbg.makeGlobalObjectReference(globalThis).makeDebuggeeValue(m).class, "Memory");
assertEq(Object.getPrototypeOf(m), proto);
assertEq(typeof Debugger.Memory, "function");
assertThrows(() => Debugger.Memory(), "TypeError: Debugger.Source has no constructor");
assertThrows(() => new Debugger.Memory(), "TypeError: Debugger.Source has no constructor");
assertThrows(() => new Debugger.Object(), "TypeError: Debugger.Object has no constructor");
assertText(Object.getOwnPropertyNames(proto), names);
assertEq(proto.constructor, Debugger.Memory);
for (const name of names) {
    const d = descriptor(name);
    assertEq(d.enumerable, false, name);
    assertEq(d.configurable, true, name);
    if ("value" in d) {
        assertEq(d.value.length, 0);
    } else {
        assertEq(d.get.name, "get " + name);
        assertEq(d.get.length, 0);
        assertEq(d.set === undefined, name === "allocationsLogOverflowed");
        if (d.set) assertEq(d.set.length, 1);
    }
}
assertText([m.trackingAllocationSites, m.maxAllocationsLogLength, m.allocationSamplingProbability,
    m.allocationsLogOverflowed], [false, 5000, 1, false]);
assertEq(m.onGarbageCollection, undefined);

// Receivers.
const functions = [];
for (const name of names.slice(1)) {
    const d = descriptor(name);
    for (const f of [d.get, d.set, d.value])
        if (f) functions.push(f);
}
assertEq(functions.length, 11);
const primitives = [[1, "number"], [null, "null"], [undefined, "undefined"], ["x", "string"], [true, "boolean"],
    [Symbol(), "symbol"], [1n, "bigint"]];
for (const f of functions) {
    for (const [value, word] of primitives)
        assertThrows(() => f.call(value, 1), `TypeError: ${word} is not a non-null object`);
    assertThrows(() => f.call({}, 1), "TypeError: Memory.prototype.method called on incompatible Object");
    assertThrows(() => f.call([], 1), "TypeError: Memory.prototype.method called on incompatible Array");
    assertThrows(() => f.call(dbg, 1), "TypeError: Memory.prototype.method called on incompatible Debugger");
    assertThrows(() => f.call(new Proxy(m, {}), 1), "TypeError: Memory.prototype.method called on incompatible Object");
    assertThrows(() => f.call(proto, 1), "TypeError: Memory.prototype.method called on incompatible prototype object");
    assertThrows(() => f.call(Object.create(m), 1), "TypeError: Memory.prototype.method called on incompatible Object");
}

// Setters without an argument.
for (const name of ["trackingAllocationSites", "maxAllocationsLogLength", "allocationSamplingProbability"])
    assertThrows(() => descriptor(name).set.call(m),
        `TypeError: (set ${name}): At least 1 argument required, but only 0 passed`);
assertThrows(() => descriptor("onGarbageCollection").set.call(m),
    "TypeError: Debugger.setHook: At least 1 argument required, but only 0 passed");

// onGarbageCollection.
for (const value of [1, null, "x", true, Symbol(), 1n])
    assertThrows(() => { m.onGarbageCollection = value; }, "TypeError: value is not a function or undefined");
for (const [value, text] of [[{}, "({})"], [[], "[]"], [{ a: 1, b: "x\n", c: null }, '({a:1, b:"x\\n", c:null})'],
    [[1, [2], { d: 3 }], "[1, [], {}]"], [Object.create({ a: 1 }), "({})"], [new Proxy({}, {}), "({})"],
    [{ get a() { throw 1; } }, "({a:undefined})"]])
    assertThrows(() => { m.onGarbageCollection = value; }, `TypeError: ${text} is not a function`);
assertEq(m.onGarbageCollection, undefined);
const hook = () => {};
m.onGarbageCollection = hook;
assertEq(m.onGarbageCollection, hook);
m.onGarbageCollection = new Proxy(hook, {});
m.onGarbageCollection = class {};
m.onGarbageCollection = undefined;

// Receivers come before arguments, arguments before conversions, conversions before ranges.
const never = { valueOf() { throw new Error("was converted"); } };
for (const name of ["maxAllocationsLogLength", "allocationSamplingProbability"])
    assertThrows(() => descriptor(name).set.call({}, never), "TypeError: Memory.prototype.method called on incompatible Object");
assertThrows(() => descriptor("maxAllocationsLogLength").set.call({}), "TypeError: Memory.prototype.method called on incompatible Object");
assertThrows(() => { m.maxAllocationsLogLength = never; }, "Error: was converted");

// Debugger: its prototype.
assertText(Object.getOwnPropertyNames(Debugger.prototype), ["constructor", "uncaughtExceptionHook", "uncaughtExceptionHandler",
    "memory", "addDebuggee", "addAllGlobalsAsDebuggees", "removeDebuggee", "removeAllDebuggees", "hasDebuggee", "getDebuggees",
    "findAllGlobals", "makeGlobalObjectReference"]);
for (const name of ["addDebuggee", "removeDebuggee", "hasDebuggee", "makeGlobalObjectReference"]) {
    const f = Debugger.prototype[name];
    assertThrows(() => f.call(1), "TypeError: number is not a non-null object");
    assertThrows(() => f.call({}), "TypeError: Debugger.prototype.method called on incompatible Object");
    assertThrows(() => f.call(Debugger.prototype), "TypeError: Debugger.prototype.method called on incompatible prototype object");
    assertThrows(() => f.call(dbg), `TypeError: Debugger.${name}: At least 1 argument required, but only 0 passed`);
    for (const value of [1, undefined, null, "x", {}, [], dbg, m, function () {}])
        assertThrows(() => f.call(dbg, value), "TypeError: argument is not a global object");
    assertThrows(() => f.call(dbg, Debugger.Object.prototype),
        "TypeError: Debugger.Object.prototype is not a valid Debugger.Object instance");
}
// Every receiver of everything that Debugger and Debugger.Object have, and how it stands on the prototype.
for (const [holder, name] of [[Debugger, "Debugger"], [Debugger.Object, "Debugger.Object"]])
    for (const key of Object.getOwnPropertyNames(holder.prototype).slice(1)) {
        const d = Object.getOwnPropertyDescriptor(holder.prototype, key), all = [d.get, d.set, d.value].filter(f => f);
        assert(all.length > 0 && !d.enumerable && d.configurable, key);
        for (const f of all) {
            for (const [value, word] of primitives)
                assertThrows(() => f.call(value, 1), `TypeError: ${word} is not a non-null object`);
            assertThrows(() => f.call({}, 1), `TypeError: ${name}.prototype.method called on incompatible Object`);
            assertThrows(() => f.call(m, 1), `TypeError: ${name}.prototype.method called on incompatible Memory`);
            assertThrows(() => f.call(holder.prototype, 1), `TypeError: ${name}.prototype.method called on incompatible prototype object`);
            assertThrows(() => f.call(Object.create(dbg), 1), `TypeError: ${name}.prototype.method called on incompatible Object`);
        }
    }
const hookSetter = Object.getOwnPropertyDescriptor(Debugger.prototype, "uncaughtExceptionHook").set;
assertThrows(() => hookSetter.call(dbg), "TypeError: Debugger.set uncaughtExceptionHook: At least 1 argument required, but only 0 passed");
for (const value of [1, undefined, {}, "x"])
    assertThrows(() => { dbg.uncaughtExceptionHook = value; }, "TypeError: value assigned to uncaughtExceptionHook must be a function or null");
assertEq(dbg.uncaughtExceptionHook, null);
dbg.uncaughtExceptionHandler = hook;
assertEq(dbg.uncaughtExceptionHook, hook);
dbg.uncaughtExceptionHook = null;
assertEq(dbg.uncaughtExceptionHandler, null);
