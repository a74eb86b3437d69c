// What the files of JavaScriptCore's shell were written from: a small program that leaks points. Prints one snapshot a line.
class Point {
    constructor(x, y) {
        this.x = x;
        this.y = y;
        this.tags = [];
    }
}

function makeReader(secret) {
    return function readSecret() {
        return secret;
    };
}

globalThis.program = {
    points: [new Point(1, 2), new Point(3, 4)],
    byName: new Map([["origin", new Point(0, 0)]]),
    reader: makeReader({ password: ["one", "two"] }),
    "näme \"quoted\"": {},
    [Symbol("hidden")]: new Set([new Point(5, 6)]),
    big: 123456789012345678901234567890n,
};

function leak() {
    for (let i = 0; i < 20; i++)
        program.points.push(new Point(i, i));
}

print(JSON.stringify(generateHeapSnapshot()));
leak();
print(JSON.stringify(generateHeapSnapshot()));
print(generateHeapSnapshotForGCDebugging());
leak();
print(generateHeapSnapshotForGCDebugging());
