// Allocations of scripts for Node.js, whose map says where functions begin: the line where one does says its blocks.
const kept = [];
const take = (size) => kept.push(Buffer.allocUnsafeSlow(size));
function plain() { //@ plain 30001 30011
    kept.push(Buffer.allocUnsafeSlow(30001));
    kept.push(new Uint8Array(30011));
    const inner = () => { //@ inner 30021
        kept.push(Buffer.allocUnsafeSlow(30021));
    };
    inner();
    [1, 2].forEach(function visit() { //@ visit 30031
        kept.push(Buffer.allocUnsafeSlow(30031));
    });
}
function loop() { //@ loop 30101 30111
    for (let i = 0; i < 3000; i++)
        kept[0] = Buffer.allocUnsafeSlow(30101);
    kept.push(Buffer.allocUnsafeSlow(30111));
}
function deep(n) { //@ deep 30201
    if (n > 0)
        return deep(n - 1);
    kept.push(Buffer.allocUnsafeSlow(30201));
}
class Owner { //
    constructor() { //@ Owner 30301
        this.own = Buffer.allocUnsafeSlow(30301);
    }
    get got() { //@ get got 30311
        return Buffer.allocUnsafeSlow(30311);
    }
    static make() { //@ make 30321
        return Buffer.allocUnsafeSlow(30321);
    }
    method() { //@ method 30331
        return Buffer.allocUnsafeSlow(30331);
    }
}
function* generate() { //@ generate 30401 30411
    yield Buffer.allocUnsafeSlow(30401);
    yield Buffer.allocUnsafeSlow(30411);
}
async function wait() { //@ wait 30501 30511
    kept.push(Buffer.allocUnsafeSlow(30501));
    await null;
    kept.push(Buffer.allocUnsafeSlow(30511));
}
function callbacks() {
    const compare = (a, b) => { //@ compare 30601
        kept.push(Buffer.allocUnsafeSlow(30601));
        return a - b;
    };
    [3, 1, 2].sort(compare);
    JSON.stringify({
        toJSON() { //@ toJSON 30611
            kept.push(Buffer.allocUnsafeSlow(30611));
            return 1;
        }
    });
    new Proxy({}, {
        get(target, name) { //@ get 30621
            return Buffer.allocUnsafeSlow(30621);
        }
    }).any;
}
function thrown() { //@ thrown 30801 30811 30821
    try {
        kept.push(Buffer.allocUnsafeSlow(30801));
        throw new Error("expected");
    } catch (error) {
        kept.push(Buffer.allocUnsafeSlow(30811));
    } finally {
        kept.push(Buffer.allocUnsafeSlow(30821));
    }
}
plain();
loop();
deep(20);
const owner = new Owner();
kept.push(owner.got, owner.method(), Owner.make());
for (const part of generate())
    kept.push(part);
wait().then(function after() { //@ after 30901
    kept.push(Buffer.allocUnsafeSlow(30901));
});
callbacks();
thrown();
setTimeout(function later() { //@ later 30911
    kept.push(Buffer.allocUnsafeSlow(30911));
}, 1);
