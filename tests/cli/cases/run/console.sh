cat > s.js <<'JS'
class Point { constructor(x, y) { this.x = x; this.y = y } get length() { return 0 } }
console.log("%s has %d of %o", "map", 2, new Map([["a", new Point(1, 2)], ["b", [1, , "it's"]]]));
console.log({ name: "n".repeat(30), text: "line\nfeed", deep: { deeper: { deepest: { out: "of sight" } } }, f() {}, get g() { return 1 } });
console.log(Array.from({ length: 30 }, (_, i) => i * i), [new Error("no"), null, undefined, -0, 10n, Symbol("s")]);
console.group("group");
console.count("calls");
console.log("two\nlines");
console.groupEnd();
console.error("to standard error");
console.assert(1 > 2, "numbers are broken");
JS
ubiheap run s.js
