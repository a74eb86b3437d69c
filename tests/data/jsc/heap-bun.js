// What the files of Bun were written from. Writes bun-*.json and bun-*.heapsnapshot here.
const fs = require("fs");
const { generateHeapSnapshotForDebugging } = require("bun:jsc");

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
};

fs.writeFileSync("bun-inspector.json", JSON.stringify(Bun.generateHeapSnapshot("jsc")));
fs.writeFileSync("bun-v8.heapsnapshot", Bun.generateHeapSnapshot("v8"));
fs.writeFileSync("bun-gcdebugging.json", JSON.stringify(generateHeapSnapshotForDebugging()));
for (let i = 0; i < 20; i++)
    program.points.push(new Point(i, i));
fs.writeFileSync("bun-v8-after.heapsnapshot", Bun.generateHeapSnapshot("v8"));
