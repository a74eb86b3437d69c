// Cases 5, 6 and 24: how many allocations are looked at.

const m = new Debugger().memory;
assertEq(m.allocationSamplingProbability, 1);
for (const p of [-1, 2, NaN, undefined, "x", {}, 1.0000001, -1e-300, Infinity])
    assertThrows(() => { m.allocationSamplingProbability = p; },
        "TypeError: (set allocationSamplingProbability)'s parameter is not a number between 0 and 1");
assertEq(m.allocationSamplingProbability, 1);
for (const [given, kept] of [[0, 0], [1, 1], [.5, .5], ["0.25", .25], [null, 0], [true, 1], [[], 0], [-0, -0],
                             [{ valueOf: () => .125 }, .125]]) {
    m.allocationSamplingProbability = given;
    assertEq(m.allocationSamplingProbability, kept);
}
assertThrows(() => { m.allocationSamplingProbability = Symbol(); }, "TypeError: can't convert symbol to number");
assertThrows(() => { m.allocationSamplingProbability = 1n; }, "TypeError: can't convert BigInt to number");
const mine = { name: "mine" };
assertThrows(() => { m.allocationSamplingProbability = { valueOf() { throw mine; } }; }, mine);

// 1000 marked objects; how many were logged.
function sample(p) {
    const { g, memory } = tracked();
    memory.allocationSamplingProbability = p;
    g.eval("for (let i = 0; i < 1000; i++) new Date");
    return memory.drainAllocationsLog().filter(e => e.class === "Date").length;
}
assertEq(sample(0), 0);
assertEq(sample(1), 1000);
assertBetween(50, sample(.1), 160);
assertBetween(400, sample(.5), 600);
assertBetween(900, sample(.95), 990);

// The greatest probability of all Debuggers that observe a global holds for all of them.
function shared(p1, p2) {
    const g = newGlobal(), d1 = new Debugger(g), d2 = new Debugger(g);
    d1.memory.allocationSamplingProbability = p1;
    d2.memory.allocationSamplingProbability = p2;
    d1.memory.trackingAllocationSites = d2.memory.trackingAllocationSites = true;
    g.eval("for (let i = 0; i < 1000; i++) new Date");
    const count = d => d.memory.drainAllocationsLog().filter(e => e.class === "Date").length;
    return { g, d1, d2, n1: count(d1), n2: count(d2), count };
}
const one = shared(1, 0);
assertEq(one.n1, 1000);
assertEq(one.n2, 1000);
const some = shared(.1, .5);
assertEq(some.n1, some.n2, "a trial's success goes to every log");
assertBetween(400, some.n1, 600);
// ... tracking or not
one.d1.memory.trackingAllocationSites = false;
one.g.eval("for (let i = 0; i < 10; i++) new Date");
assertEq(one.count(one.d2), 10);
// ... but only while it observes that global.
one.d1.removeDebuggee(one.g);
one.g.eval("for (let i = 0; i < 10; i++) new Date");
assertEq(one.count(one.d2), 0);
// It can be changed meanwhile, also by one that does not track; that one has no log.
one.d2.memory.allocationSamplingProbability = 1;
one.g.eval("for (let i = 0; i < 10; i++) new Date");
assertEq(one.count(one.d2), 10);
one.d2.memory.allocationSamplingProbability = 0;
one.d1.memory.allocationSamplingProbability = 0;
one.d1.addDebuggee(one.g);
one.g.eval("for (let i = 0; i < 10; i++) new Date");
assertEq(one.count(one.d2), 0);
one.d1.memory.allocationSamplingProbability = 1;
one.g.eval("for (let i = 0; i < 10; i++) new Date");
assertEq(one.count(one.d2), 10);
one.d1.memory.trackingAllocationSites = true;
assertEq(one.d1.memory.drainAllocationsLog().length, 0);

// What is not sampled has no site.
const { g, memory, object } = tracked();
memory.allocationSamplingProbability = 0;
g.eval("this.a = {}");
assertEq(object.makeDebuggeeValue(g.a).allocationSite, null);
