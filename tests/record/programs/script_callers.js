// Allocations below native functions: a mark says the function, a size, and its callers, whose lines have the labels.
const kept = [];
function sorts() {
    [2, 1].sort((a, b) => { //: sort
        kept.push(new ArrayBuffer(21001)); //@  21001 < sorts:sort < :call-sorts
        return a - b;
    });
}
function maps() {
    const visit = (x) => new ArrayBuffer(21011); //@ visit 21011 < maps:map < :call-maps
    return [1, 2].map(visit); //: map
}
function nested() {
    const inner = () => new ArrayBuffer(21021); //@ inner 21021 < outer:inner < nested:outer < :call-nested
    const outer = () => [1].map(inner); //: inner
    return [1].flatMap(outer); //: outer
}
function parses() {
    const revive = (key, value) => new ArrayBuffer(21031); //@ revive 21031 < parses:parse < :call-parses
    return JSON.parse("[1]", revive); //: parse
}
function prints() {
    const told = {
        toJSON() {
            kept.push(new ArrayBuffer(21041)); //@ toJSON 21041 < prints:print < :call-prints
            return 1;
        },
    };
    return JSON.stringify([told]); //: print
}
function replaces() {
    const replace = (text) => new ArrayBuffer(21051) && text; //@ replace 21051 < replaces:replace < :call-replaces
    return "aa".replace(/a/g, replace); //: replace
}
function collects() {
    const each = (value) => kept.push(new ArrayBuffer(21061)); //@ each 21061 < collects:each < :call-collects
    new Map([[1, 2]]).forEach(each); //: each
}
function froms() {
    const make = (value) => new ArrayBuffer(21071); //@ make 21071 < froms:from < :call-froms
    return Array.from({ length: 2 }, make); //: from
}
function* counts(n) {
    for (let i = 0; i < n; i++)
        yield new ArrayBuffer(21081); //@ counts 21081 < spreads:spread < :call-spreads
}
function spreads() {
    return [...counts(2)]; //: spread
}
function* delegates() {
    yield* leaves(); //: delegate
}
function* leaves() {
    yield new ArrayBuffer(21091); //@ leaves 21091 < delegates:delegate < loops:loop < :call-loops
}
function loops() {
    for (const part of delegates()) //: loop
        kept.push(part);
}
function applies() {
    const applied = () => new ArrayBuffer(21101); //@ applied 21101 < applies:apply < :call-applies
    return Reflect.apply(applied, null, []); //: apply
}
function bounds() {
    const bound = (() => function named() { return new ArrayBuffer(21111); })().bind(null); //@ named 21111 < bounds:bound < :call-bounds
    return bound(); //: bound
}
class Base {
    constructor() {
        this.own = this.make(); //: make
    }
}
class Derived extends Base {
    constructor() {
        super(); //: super
    }
    make() {
        return new ArrayBuffer(21121); //@ make 21121 < Base:make < Derived:super < constructs:construct < :call-constructs
    }
}
function constructs() {
    return Reflect.construct(Derived, []); //: construct
}
async function begins() {
    kept.push(new ArrayBuffer(21131)); //@ begins 21131 < starts:begin < :call-starts
    await null;
    kept.push([1].map(resumed)); //: resumed
}
const resumed = () => new ArrayBuffer(21141); //@ resumed 21141 < begins:resumed
function starts() {
    begins(); //: begin
}
async function* streams() {
    yield new ArrayBuffer(21151); //@ streams 21151 < drains:drain < :call-drains
}
async function drains() {
    for await (const part of streams()) //: drain
        kept.push(part);
}
function executes() {
    new Promise((resolve) => { //: execute
        resolve(kept.push(new ArrayBuffer(21161))); //@  21161 < executes:execute < :call-executes
    }).then(function settled() {
        const keep = () => kept.push(new ArrayBuffer(21171)); //@ keep 21171 < settled:settled
        [1].forEach(keep); //: settled
    });
}
sorts(); //: call-sorts
maps(); //: call-maps
nested(); //: call-nested
parses(); //: call-parses
prints(); //: call-prints
replaces(); //: call-replaces
collects(); //: call-collects
froms(); //: call-froms
spreads(); //: call-spreads
loops(); //: call-loops
applies(); //: call-applies
bounds(); //: call-bounds
constructs(); //: call-constructs
starts(); //: call-starts
drains(); //: call-drains
executes(); //: call-executes
