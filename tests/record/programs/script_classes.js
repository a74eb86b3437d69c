// Objects of several classes: a line that ends so makes at least that many blocks of a class.
const kept = [];
class Point {
    constructor(x) {
        this.x = x;
        this.y = this.z = this.w = 0; // more than an object has room for at first
    }
}
class Sub extends Point {}
class Registry extends Map {}
function Legacy(n) {
    this.n = n;
}
const made = (Class, n, ...given) => {
    for (let i = 0; i < n; i++)
        kept.push(new Class(...given));
};
made(Point, 500, 1); //@ Point 1000
made(Sub, 300); //@ Sub 600
made(Legacy, 200, 1); //@ Legacy 400
made(Map, 250); //@ Map 900
made(Set, 150); //@ Set 300
made(Date, 350); //@ Date 700
kept.push(new Registry([[1, 2]])); //@ Registry 2
for (let i = 0; i < 450; i++)
    kept.push(() => i); //@ Function 900
for (let i = 0; i < 600; i++)
    kept.push("text " + i); //@ string 600
for (let i = 0; i < 400; i++)
    kept.push(new Map([[i, i]])); // a record each
kept.push(new ArrayBuffer(40001)); //@ ArrayBuffer 3
const long = [];
for (let i = 0; i < 100000; i++)
    long.push(i);
kept.push(long);
function Wide() {
    for (let i = 0; i < 3000; i++)
        this["p" + i] = i;
}
kept.push(new Wide()); //@ Wide 2
// What runs in coroutines and reactions, whose own blocks are of the class of what they belong to.
class Yielded {
    constructor(n) {
        this.n = n;
    }
}
class Awaited extends Yielded {}
class Streamed extends Yielded {}
class Reacted extends Yielded {}
function* counts() {
    yield new Yielded(1); //@ Yielded 320
}
async function waits(promise) {
    await promise;
    kept.push(new Awaited(1)); //@ Awaited 280
}
async function* streams() {
    await null;
    yield new Streamed(1); //@ Streamed 180
}
for (let i = 0; i < 160; i++) {
    const counter = counts(); //@ Generator 480
    kept.push(counter, counter.next());
}
const later = new Promise((resolve) => setTimeout(resolve, 1));
for (let i = 0; i < 140; i++)
    waits(later); //@ AsyncFunction 140
for (let i = 0; i < 90; i++) {
    const stream = streams(); //@ AsyncGenerator 270
    kept.push(stream, stream.next());
}
for (let i = 0; i < 120; i++)
    kept.push(later.then(() => kept.push(new Reacted(1)))); //@ Reacted 240
for (let i = 0; i < 200; i++)
    later.catch(() => 0); //@ Promise 1200
