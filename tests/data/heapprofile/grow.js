// Keeps what it makes, so that a profile at its end has it: sessions, words, and buffers of many sizes.
'use strict';
globalThis.kept = [];
class Session {
    constructor(i) {
        this.id = i;
        this.data = new Array(200).fill(i);
    }
}
function makeSessions(n) {
    for (let i = 0; i < n; i++)
        globalThis.kept.push(new Session(i));
}
function readWords(n) {
    const words = new Map();
    for (let i = 0; i < n; i++)
        words.set('w' + i, ('word ' + i).repeat(3));
    globalThis.kept.push(words);
}
const deepen = (n) => (n ? deepen(n - 1) : globalThis.kept.push(new Array(50000).fill(1.5)));
makeSessions(Number(process.argv[2] || 3000));
readWords(20000);
deepen(300);
[1, 2, 3].forEach((x) => globalThis.kept.push(new Array(10000 * x).fill(x)));
