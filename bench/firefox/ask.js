/* SPDX-License-Identifier: MIT
 *
 * One question to Firefox about a snapshot, with the time that it takes. Runs in Firefox's parent process; the answer to `read` is
 * kept for the others.
 *
 * arguments: question, its parameter, callback, which gets {wallMs, answer}.
 */
/* global ChromeUtils, Cu, performance, window */
const [question, parameter, done] = arguments;
const questions = {
  read(path) {
    window.ubiheapSnapshot = ChromeUtils.readHeapSnapshot(path);
    return null;
  },
  census() {
    return window.ubiheapSnapshot.takeCensus({});
  },
  count() {
    return window.ubiheapSnapshot.takeCensus({ breakdown: { by: "count", count: true, bytes: true } });
  },
  /* Retained sizes are computed when the first is asked for. */
  dominators() {
    const tree = window.ubiheapSnapshot.computeDominatorTree();
    return { root: tree.root, retainedSize: tree.getRetainedSize(tree.root) };
  },
  paths({ start, targets, most }) {
    const found = window.ubiheapSnapshot.computeShortestPaths(start, targets, most);
    return targets.map(target => (found.get(target) ?? []).length);
  },
  forget() {
    window.ubiheapSnapshot = null;
    Cu.forceGC();
    Cu.forceCC();
    Cu.forceGC();
    return null;
  },
};
const began = performance.now();
let answer = questions[question](parameter);
const wallMs = performance.now() - began;
done({ wallMs, answer: question === "census" ? null : answer });
