# A program whose engine and host released everything is told nothing.
cat >program.mjs <<'END'
import * as os from "os";
const never = os.setTimeout(() => 1, 60000);
os.clearTimeout(never);
class Page { #words = [1n, "two", Symbol("three")]; get words() { return this.#words; } }
globalThis.pages = [new Page(), new Map([[{}, new Page()]]), Promise.resolve(1).then(() => pages)];
console.log("%o", pages.length, new Error("shown").message);
setTimeout(() => console.log("done"), 1);
END
ubiheap run --references program.mjs
