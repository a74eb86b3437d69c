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
