/* SPDX-License-Identifier: MIT
 *
 * Saves the heap of the whole browser process, with a program in it that made `count` objects. Runs in Firefox's parent process.
 * arguments: count, callback, which gets the path of the file.
 */
/* global ChromeUtils, Cu, Services */
const [count, done] = arguments;
const program = new Cu.Sandbox("https://program.example/", { freshCompartment: true });
const source = `
  class Point { constructor(x, y) { this.x = x; this.y = y; } }
  class Link { constructor(value, next) { this.value = value; this.next = next; } }
  var records = [], byName = new Map();
  function fill(count) {
    let last = null;
    for (let made = 0; made < count; made += 7) {
      const record = { id: made, name: "record-" + made, tags: ["a" + (made & 1023), "b" + (made & 63)],
                       at: new Point(made + 0.25, made + 0.75), last };
      record.get = (it => () => it)(record);
      record["field" + (made & 63)] = new Link(made, null);
      records.push(record);
      if (made % 56 === 0)
        byName.set(record.name, record);
      last = record;
    }
  }`;
Cu.evalInSandbox(source, program, "latest", "resource://program/records.js", 1);
program.fill(count);
for (let i = 0; i < 3; i++) {
  Cu.forceGC();
  Cu.forceCC();
}
done(ChromeUtils.saveHeapSnapshot({ runtime: true }));
