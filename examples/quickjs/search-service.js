// SPDX-License-Identifier: MIT
//
// A search service in small: it makes an index of documents, then answers queries as they come, and sums up from time to time.
//
//     ubiheap run --timeline search.timeline examples/quickjs/search-service.js [QUERIES]
//
// One of its functions is slow, and docs/tutorial/what-does-my-script-do-all-day.md finds out which.

const WORDS = ["heap", "node", "edge", "root", "path", "size", "leak", "page", "list", "tree", "name", "kind", "stack", "frame"];
const DOCUMENTS = 100, WORDS_EACH = 60, QUERIES = Number(scriptArgs[1] ?? 200);

let seed = 7;
function random(n) {
    seed = (seed * 16807) % 2147483647;
    return seed % n;
}

function writeDocument(id) {
    const words = Array.from({ length: WORDS_EACH }, () => WORDS[random(WORDS.length)] + random(20));
    return { id, title: `document ${id}`, text: words.join(" ") };
}

class Index {
    documents = [];
    places = new Map();

    add(document) {
        this.documents.push(document);
        for (const word of document.text.split(" ")) {
            if (!this.places.has(word)) this.places.set(word, new Set());
            this.places.get(word).add(document);
        }
    }

    find(words) {
        const [first, ...others] = words.map(word => this.places.get(word) ?? new Set());
        return [...first].filter(document => others.every(places => places.has(document)));
    }
}

// How well a document fits: a weight for each word of the query, and less for long documents.
function score(document, words) {
    const terms = words.map(word => `(text.split("${word}").length - 1)`).join(" + ");
    const formula = new Function("text", `return (${terms}) / Math.sqrt(text.length)`);
    return formula(document.text);
}

function rank(found, words) {
    return found.map(document => [score(document, words), document]).sort(([a], [b]) => b - a);
}

const answers = [];
async function answer(index, words) {
    const ranked = rank(await index.find(words), words);
    answers.push({ words, best: ranked.slice(0, 10).map(([, document]) => document.title) });
}

function sumUp() {
    const words = new Map();
    for (const { words: [word] } of answers) words.set(word, (words.get(word) ?? 0) + 1);
    return [...words].sort((a, b) => b[1] - a[1]).slice(0, 3);
}

function serve(index, left) {
    if (left === 0) {
        clearInterval(summing);
        console.log(`${answers.length} answers, most asked for: ${sumUp().map(([word]) => word).join(", ")}`);
        return;
    }
    answer(index, [WORDS[random(WORDS.length)] + random(20)]);
    setTimeout(() => serve(index, left - 1), 2);
}

console.time("index");
const index = new Index();
for (let id = 0; id < DOCUMENTS; id++) index.add(writeDocument(id));
console.timeEnd("index");
console.timeStamp("ready");
const summing = setInterval(sumUp, 50);
serve(index, QUERIES);
