// Allocations below native functions: where a function begins, its blocks, and its callers, which have labels where they begin.  //: script
const kept = [];
function sorts() { //: sorts
    const compare = (a, b) => { //@ compare 31001 < sorts:sorts < :script
        kept.push(Buffer.allocUnsafeSlow(31001));
        return a - b;
    };
    [2, 1].sort(compare);
}
function maps() { //: maps
    const visit = () => kept.push(Buffer.allocUnsafeSlow(31011)); //@ visit 31011 < maps:maps < :script
    [1, 2].map(visit);
}
function nested() { //: nested
    const inner = () => kept.push(Buffer.allocUnsafeSlow(31021)); //@ inner 31021 < outer:outer < nested:nested < :script
    const outer = () => [1].map(inner); //: outer
    [1].flatMap(outer);
}
function parses() { //: parses
    const revive = () => kept.push(Buffer.allocUnsafeSlow(31031)); //@ revive 31031 < parses:parses < :script
    JSON.parse("[1]", revive);
}
function replaces() { //: replaces
    const replace = () => kept.push(Buffer.allocUnsafeSlow(31041)) && ""; //@ replace 31041 < replaces:replaces < :script
    "aa".replace(/a/g, replace);
}
function* counts(n) { //@ counts 31051 < spreads:spreads < :script
    for (let i = 0; i < n; i++)
        yield Buffer.allocUnsafeSlow(31051);
}
function spreads() { //: spreads
    return [...counts(2)];
}
async function begins() { //@ begins 31061 < starts:starts < :script
    kept.push(Buffer.allocUnsafeSlow(31061));
    await null;
}
function starts() { //: starts
    begins();
}
function applies() { //: applies
    const applied = () => Buffer.allocUnsafeSlow(31071); //@ applied 31071 < applies:applies < :script
    return Reflect.apply(applied, null, []);
}
sorts();
maps();
nested();
parses();
replaces();
spreads();
starts();
applies();
