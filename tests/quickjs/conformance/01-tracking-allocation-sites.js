// Cases 1 to 4 and section 2: who is tracked, and what an allocation site is.

// 1: off at first; a site while on, none after.
{
    const g = newGlobal(), dbg = new Debugger(), dg = dbg.addDebuggee(g), memory = dbg.memory;
    assertEq(memory.trackingAllocationSites, false);
    g.eval("this.before = {}");
    memory.trackingAllocationSites = true;
    assertEq(memory.trackingAllocationSites, true);
    g.eval("this.during = {}");
    memory.trackingAllocationSites = false;
    assertEq(memory.trackingAllocationSites, false);
    g.eval("this.after = {}");
    const site = name => dg.makeDebuggeeValue(g[name]).allocationSite;
    assertEq(site("before"), null);
    assertEq(typeof site("during"), "object");
    assert(site("during") !== null);
    assertEq(site("after"), null);
    assertEq(site("during"), site("during"), "the same stack is the same object");
    assertEq(dg.allocationSite, null, "the global itself");
}
// ToBoolean; the same value again changes nothing.
{
    const { g, memory } = tracked();
    g.eval("this.a = [1]");
    for (const on of [true, 1, "no", {}, [], Symbol()]) {
        memory.trackingAllocationSites = on;
        assertEq(memory.trackingAllocationSites, true);
    }
    assert(memory.drainAllocationsLog().some(e => e.class === "Array"), "the log was not emptied");
    for (const off of [0, "", null, undefined, NaN]) {
        memory.trackingAllocationSites = true;
        memory.trackingAllocationSites = off;
        assertEq(memory.trackingAllocationSites, false);
    }
}
// 2: two Debuggers track the same global; either may stop first.
{
    const g = newGlobal(), d1 = new Debugger(g), d2 = new Debugger(g);
    d1.memory.trackingAllocationSites = d2.memory.trackingAllocationSites = true;
    g.eval("this.both = {}");
    const see = d => d.makeGlobalObjectReference(g).makeDebuggeeValue(g.both).allocationSite;
    assert(see(d1) !== null && see(d1) === see(d2));
    d1.memory.trackingAllocationSites = false;
    g.eval("this.both = {}");
    assert(see(d1) !== null, "the other one still tracks it");
    d2.memory.trackingAllocationSites = false;
    g.eval("this.both = {}");
    assertEq(see(d2), null);
}
// 3: no debuggees, no tracking; a debuggee that comes while tracking is tracked.
{
    const g = newGlobal(), dbg = new Debugger();
    dbg.memory.trackingAllocationSites = true;
    const dg = dbg.addDebuggee(g);
    g.eval("this.a = {}");
    assert(dg.makeDebuggeeValue(g.a).allocationSite !== null);
    dbg.removeDebuggee(g);
    g.eval("this.b = {}");
    assertEq(dg.makeDebuggeeValue(g.b).allocationSite, null);
    assertEq(dbg.memory.trackingAllocationSites, true);
    dbg.addDebuggee(g);
    g.eval("this.c = {}");
    assert(dg.makeDebuggeeValue(g.c).allocationSite !== null);
    dbg.removeAllDebuggees();
    g.eval("this.d = {}");
    assertEq(dg.makeDebuggeeValue(g.d).allocationSite, null);
}
// 4: all or nothing, and somebody else's hook.
{
    const g1 = newGlobal(), g2 = newGlobal(), dbg = new Debugger(g1, g2), taken =
        "Error: Cannot track object allocation, because other tools are already doing so";
    foreignHook(g2, true);
    assertThrows(() => { dbg.memory.trackingAllocationSites = true; }, taken);
    assertEq(dbg.memory.trackingAllocationSites, false);
    g1.eval("this.a = {}"), g2.eval("this.a = {}");
    const dg = dbg.makeGlobalObjectReference(g1);
    assertEq(dg.makeDebuggeeValue(g1.a).allocationSite, null);
    assertEq(dg.makeDebuggeeValue(g2.a).allocationSite, null);

    dbg.removeDebuggee(g2);
    dbg.memory.trackingAllocationSites = true;
    assertThrows(() => dbg.addDebuggee(g2), taken);
    assertEq(dbg.hasDebuggee(g2), false);
    assertEq(dbg.getDebuggees().length, 1);
    foreignHook(g2, false);
    dbg.addDebuggee(g2);
    assertEq(dbg.hasDebuggee(g2), true);
}
// Stopping empties the log, but not what overflowed; removing a debuggee leaves it.
{
    const { g, dbg, memory } = tracked();
    memory.maxAllocationsLogLength = 1;
    g.eval("this.a = [{}, {}, {}]");
    assertEq(memory.allocationsLogOverflowed, true);
    dbg.removeDebuggee(g);
    memory.trackingAllocationSites = false;
    memory.trackingAllocationSites = true;
    assertEq(memory.allocationsLogOverflowed, true);
    assertEq(memory.drainAllocationsLog().length, 0);
    assertEq(memory.allocationsLogOverflowed, false);
    dbg.addDebuggee(g);
    g.eval("this.b = new Date");
    dbg.removeDebuggee(g);
    assertText(memory.drainAllocationsLog().map(e => e.class), ["Date"]);
}
