// Debugger: debuggees, and Debugger.Object.

// Adding, asking, removing.
{
    const dbg = new Debugger(), g1 = newGlobal(), g2 = newGlobal();
    assertText(dbg.getDebuggees(), []);
    const d1 = dbg.addDebuggee(g1), d2 = dbg.addDebuggee(g2);
    assert(d1 !== d2 && d1 instanceof Debugger.Object);
    assertEq(dbg.addDebuggee(g1), d1);
    assertEq(dbg.addDebuggee(d1), d1);
    assertEq(dbg.makeGlobalObjectReference(g1), d1);
    const list = dbg.getDebuggees();
    assert(Array.isArray(list) && list.length === 2 && list[0] === d1 && list[1] === d2);
    assertEq(dbg.hasDebuggee(g1), true);
    assertEq(dbg.hasDebuggee(d2), true);
    assertEq(dbg.removeDebuggee(d1), undefined);
    assertEq(dbg.hasDebuggee(g1), false);
    assertEq(dbg.removeDebuggee(g1), undefined);
    dbg.removeAllDebuggees();
    assertEq(dbg.getDebuggees().length, 0);
    assertEq(dbg.makeGlobalObjectReference(g2), d2, "a reference makes no debuggee");
    assertEq(dbg.hasDebuggee(g2), false);
}
// The constructor: with or without new, with objects of other realms.
{
    const g = newGlobal();
    assert(Debugger() instanceof Debugger);
    assertEq(new Debugger(g).hasDebuggee(g), true);
    assertEq(new Debugger(g.Object).hasDebuggee(g), true);
    assertEq(new Debugger(g.eval("({})")).hasDebuggee(g), true);
    const message = "TypeError: Debugger: argument must be an object from a different compartment";
    assertThrows(() => new Debugger(globalThis), message);
    assertThrows(() => new Debugger({}), message);
    assertThrows(() => new Debugger(Object.create(null)), message);
    assertThrows(() => new Debugger(0), "TypeError: number is not a non-null object");
    assertEq(Debugger.length, 1);
    assertEq(Debugger.name, "Debugger");
    const d = Object.getOwnPropertyDescriptor(globalThis, "Debugger");
    assert(d.writable && d.configurable && !d.enumerable);
    class Mine extends Debugger { get all() { return this.getDebuggees().length; } }
    assertEq(new Mine(g).all, 1);
}
// Not oneself, not in a circle.
{
    const dbg = new Debugger(), same = "TypeError: debugger and debuggee must be in different compartments";
    assertThrows(() => dbg.addDebuggee(globalThis), same);
    assertThrows(() => dbg.addDebuggee(dbg.makeGlobalObjectReference(globalThis)), same);
    const loop = "TypeError: cannot debug an object in same compartment as debugger or a compartment that is already debugging the debugger";
    const a = newGlobal({ debugger: true }), b = newGlobal({ debugger: true });
    a.dbg = a.eval("new Debugger");
    b.dbg = b.eval("new Debugger");
    a.dbg.addDebuggee(b);
    assertThrows(() => b.dbg.addDebuggee(a), loop);
    b.dbg.addDebuggee(globalThis);
    assertThrows(() => dbg.addDebuggee(a), loop);
    assertThrows(() => dbg.addDebuggee(b), loop);
    b.dbg.removeAllDebuggees();
    dbg.addDebuggee(a);
    dbg.addDebuggee(b);
    assertThrows(() => b.dbg.addDebuggee(globalThis), loop);
}
// All globals.
{
    const dbg = new Debugger(), g = newGlobal(), all = dbg.findAllGlobals();
    assert(all.some(d => d.unsafeDereference() === g) && all.some(d => d.unsafeDereference() === globalThis));
    dbg.addAllGlobalsAsDebuggees();
    assertEq(dbg.hasDebuggee(g), true);
    assertEq(dbg.hasDebuggee(globalThis), false);
    assertEq(dbg.getDebuggees().length, dbg.findAllGlobals().length - 1);
}
// Debugger.Object: one for each object and Debugger.
{
    const g = newGlobal(), d1 = new Debugger(), d2 = new Debugger(), o1 = d1.addDebuggee(g), o2 = d2.addDebuggee(g);
    assert(o1 !== o2);
    assertThrows(() => d1.addDebuggee(o2), "TypeError: Debugger.Object belongs to a different Debugger");
    assertThrows(() => d1.hasDebuggee(o2), "TypeError: Debugger.Object belongs to a different Debugger");
    const array = g.eval("[]");
    assertEq(o1.makeDebuggeeValue(array), o1.makeDebuggeeValue(array));
    assert(o1.makeDebuggeeValue(array) !== o2.makeDebuggeeValue(array));
    assertEq(o1.makeDebuggeeValue(array).unsafeDereference(), array);
    assertEq(o1.unsafeDereference(), g);
    for (const value of [1, "x", null, undefined, true]) assertEq(o1.makeDebuggeeValue(value), value);
    assertThrows(() => o1.makeDebuggeeValue(), "TypeError: Debugger.Object.prototype.makeDebuggeeValue: At least 1 argument required, but only 0 passed");
    assertThrows(() => d1.addDebuggee(o1.makeDebuggeeValue(array)), "TypeError: argument is not a global object");

    const see = code => o1.makeDebuggeeValue(g.eval(code));
    assertText(["({})", "[]", "/x/", "new Date", "(() => 1)", "new Proxy({}, {})", "new Map", "function f() {} f"].map(c => see(c).class),
        ["Object", "Array", "RegExp", "Date", "Function", "Object", "Map", "Function"]);
    assertText([see("({})").callable, see("(() => 1)").callable], [false, true]);
    assertText([see("(() => 1)").isBoundFunction, see("(() => 1).bind()").isBoundFunction, see("({})").isBoundFunction],
        [false, true, undefined]);
    assertText([see("({})").isProxy, see("new Proxy({}, {})").isProxy], [false, true]);
    assertText([see("function f() {} f").name, see("(class { static name = 1 })").displayName, see("({})").name], ["f", undefined, undefined]);
    assertEq(see("Object.create(null)").proto, null);
    assertEq(see("({})").proto, o1.makeDebuggeeValue(g.Object.prototype));
    assertEq(see("new Proxy({}, { getPrototypeOf() { throw 1 } })").proto, undefined);
    assertEq(see("Object.defineProperty(() => 1, 'name', { get() { throw 1 } })").name, undefined);
    assertEq(see("(class A {})").global, o1);
    assertEq(see("new (class A {})").global, o1);
    assertEq(o1.global, o1);
    assertEq(o1.makeDebuggeeValue({}).global.unsafeDereference(), globalThis);
    assertEq(see("Object.create(null)").global, undefined);
    assertEq(see("new Proxy({}, {})").allocationSite, null);

    const get = Object.getOwnPropertyDescriptor(Debugger.Object.prototype, "class").get;
    assertThrows(() => get.call(1), "TypeError: number is not a non-null object");
    assertThrows(() => get.call({}), "TypeError: Debugger.Object.prototype.method called on incompatible Object");
    assertThrows(() => get.call(Debugger.Object.prototype), "TypeError: Debugger.Object.prototype.method called on incompatible prototype object");
}
// Being a debuggee keeps nothing alive.
{
    const dbg = new Debugger();
    (() => { for (let i = 0; i < 10; i++) dbg.addDebuggee(newGlobal()); })(); // (a loop's last value stays with eval)
    gc();
    assertEq(dbg.getDebuggees().length, 0);
    const kept = dbg.addDebuggee(newGlobal());
    gc();
    assertEq(dbg.getDebuggees().length, 1, "a Debugger.Object does");
    assertEq(dbg.getDebuggees()[0], kept);
}
