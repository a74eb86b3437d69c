/* SPDX-License-Identifier: MIT
 *
 * Makes a small program run under a Debugger that tracks allocations, and saves its heap before and after it leaks. Runs
 * in Firefox's parent process. arguments: callback, which gets the paths of both files.
 */
/* global ChromeUtils, Cu, Services */
const [done] = arguments;
const { addDebuggerToGlobal } = ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs");
const principal = Services.scriptSecurityManager.getSystemPrincipal();
const program = new Cu.Sandbox("https://program.example/", { freshCompartment: true });
const tools = new Cu.Sandbox(principal, { freshCompartment: true, sandboxName: "tools" });
addDebuggerToGlobal(tools);
const dbg = new tools.Debugger();
dbg.addDebuggee(program);
dbg.memory.allocationSamplingProbability = 1;
dbg.memory.trackingAllocationSites = true;

const source = `
  class Session { constructor(n) { this.name = "session " + n; this.peers = [n, n + 1]; } }
  var sessions = new Map(), byName = {}, ring = {};
  ring.next = { next: { next: ring } };
  function open(n) { const s = new Session(n); sessions.set(n, s); byName["s" + n % 7] = s; }
  function leak() { for (let n = 0; n < 200; n++) open(n); }
  for (let n = 0; n < 20; n++) open(n);
`;
Cu.evalInSandbox(source, program, "latest", "resource://program/program.js", 1);

function save() {
  Cu.forceGC();
  Cu.forceCC();
  Cu.forceGC();
  return ChromeUtils.saveHeapSnapshot({ debugger: dbg });
}
const before = save();
Cu.evalInSandbox("leak()", program, "latest", "resource://program/console.js", 1);
const after = save();
done([before, after]);
