// Allocations of scripts that say where they are: a line that ends so asks for a block of that size in that function.
const kept = [];
function keep(block) {
    kept.push(block);
    return block;
}
function block(size) {
    return new ArrayBuffer(size);
}
function plain() {
    keep(new ArrayBuffer(20001)); //@ plain 20001
    keep(new Uint8Array(20011)); //@ plain 20011
    const inner = () => keep(new ArrayBuffer(20021)); //@ inner 20021
    inner();
    [1].forEach(function visit() {
        keep(new ArrayBuffer(20031)); //@ visit 20031
    });
    return "x".repeat(20041).length; // with a header of the engine's
}
function loop() {
    let text = "";
    for (let i = 0; i < 50; i++)
        keep(new ArrayBuffer(20101)); //@ loop 20101
    for (const size of [20111, 20121]) {
        text += size;
        keep(new ArrayBuffer(20131)); //@ loop 20131
    }
    return text;
}
function deep(n) {
    if (n > 0)
        return deep(n - 1);
    return keep(new ArrayBuffer(20201)); //@ deep 20201
}
class Owner {
    field = keep(new ArrayBuffer(20301)); //@  20301
    constructor() {
        this.own = keep(new ArrayBuffer(20311)); //@ Owner 20311
    }
    get got() {
        return keep(new ArrayBuffer(20321)); //@ get got 20321
    }
    static make() {
        return keep(new ArrayBuffer(20331)); //@ make 20331
    }
    method() {
        return keep(new ArrayBuffer(20341)); //@ method 20341
    }
}
function* generate() {
    yield keep(new ArrayBuffer(20401)); //@ generate 20401
    yield keep(new ArrayBuffer(20411)); //@ generate 20411
}
async function wait() {
    keep(new ArrayBuffer(20501)); //@ wait 20501
    await null;
    keep(new ArrayBuffer(20511)); //@ wait 20511
    await inner();
    async function inner() {
        await null;
        keep(new ArrayBuffer(20521)); //@ inner 20521
    }
}
function callbacks() {
    const compare = (a, b) => {
        keep(new ArrayBuffer(20601)); //@ compare 20601
        return a - b;
    };
    [3, 1, 2].sort(compare);
    const told = { toString() { return keep(new ArrayBuffer(20611)) && "told"; } }; //@ toString 20611
    JSON.stringify({ toJSON() { keep(new ArrayBuffer(20621)); return 1; } }); //@ toJSON 20621
    new Proxy({}, { get(target, name) { return keep(new ArrayBuffer(20631)); } }).any; //@ get 20631
    Reflect.apply(block, null, [20641]);
    return `${told}`;
}
function evaluated() {
    for (let i = 0; i < 20; i++)
        (0, eval)(`(function made${i}() { return (${"\n".repeat(i)} new ArrayBuffer(${20700 + i})); })()`);
    return new Function("return new ArrayBuffer(20761)")();
}
function thrown() {
    try {
        keep(new ArrayBuffer(20801)); //@ thrown 20801
        throw new Error("expected");
    } catch (error) {
        keep(new ArrayBuffer(20811)); //@ thrown 20811
    } finally {
        keep(new ArrayBuffer(20821)); //@ thrown 20821
    }
}
plain();
loop();
deep(30);
const owner = new Owner();
owner.got;
owner.method();
Owner.make();
for (const part of generate())
    keep(part);
wait().then(() => {
    keep(new ArrayBuffer(20901)); //@  20901
});
callbacks();
evaluated();
thrown();
keep(new ArrayBuffer(20911)); //@  20911
