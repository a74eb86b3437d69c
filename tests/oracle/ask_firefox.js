/* SPDX-License-Identifier: MIT
 *
 * Firefox's answers about one or two snapshot files, in the shapes of `ubiheap --json`: stacks are lists of frames,
 * youngest first, and a Map is a list of {stack, report}. Runs in Firefox's parent process.
 *
 * arguments: file, newer file or null, breakdowns by name, label breakdown, path of the answer, callback.
 */
/* global ChromeUtils, IOUtils */
const [file, newer, breakdowns, labelBreakdown, answerPath, done] = arguments;
const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
const CensusUtils = require("resource://devtools/shared/heapsnapshot/CensusUtils.js");
const { censusReportToCensusTreeNode } = require("resource://devtools/shared/heapsnapshot/census-tree-node.js");
const DominatorTreeNode = require("resource://devtools/shared/heapsnapshot/DominatorTreeNode.js");
const { deduplicatePaths } = require("resource://devtools/shared/heapsnapshot/shortest-paths.js");

const { getSnapshotTitle } = require("devtools/client/memory/utils");

const isFrame = value => Object.prototype.toString.call(value) === "[object SavedFrame]";

function stack(youngest) {
  const frames = [];
  for (let frame = youngest; frame; frame = frame.parent) {
    const { source, line, column, functionDisplayName } = frame;
    frames.push({ source, line, column, functionDisplayName });
  }
  return frames;
}

function plain(report) {
  if (Object.prototype.toString.call(report) === "[object Map]")
    return [...report].map(([key, value]) => ({ stack: isFrame(key) ? stack(key) : key, report: plain(value) }));
  if (Array.isArray(report) || report === null || typeof report !== "object")
    return report;
  return Object.fromEntries(Object.entries(report).map(([key, value]) => [key, plain(value)]));
}

function dominatorRow(node) {
  const { nodeId, label, shallowSize, retainedSize, moreChildrenAvailable, parentId, children } = node;
  return { nodeId, label: label.map(part => (isFrame(part) ? stack(part) : part)), shallowSize, retainedSize,
           moreChildrenAvailable, parentId, children: children && children.map(dominatorRow) };
}

/* "id immediate-dominator retained-size" of every node, ascending by id. */
function dominatorLines(tree) {
  const lines = [], open = [tree.root];
  while (open.length) {
    const id = open.pop();
    lines.push([id, tree.getImmediateDominator(id) ?? "-", tree.getRetainedSize(id)]);
    open.push(...tree.getImmediatelyDominated(id));
  }
  return lines.sort((a, b) => a[0] - b[0]).map(line => line.join(" ")).join("\n") + "\n";
}

/* Every n-th node of the listing, so that near and far ones are among them. */
function spread(lines, count) {
  const ids = lines.trimEnd().split("\n").slice(1).map(line => Number(line.split(" ")[0]));
  const step = Math.max(1, Math.floor(ids.length / count));
  return ids.filter((_, i) => i % step === 0).slice(0, count);
}

function shortestPaths(snapshot, tree, lines) {
  const targets = spread(lines, 20);
  if (!targets.length)
    return [];
  const found = snapshot.computeShortestPaths(tree.root, targets, 4);
  return targets.map(target => ({ target, paths: found.get(target), deduplicated: deduplicatePaths(target, found.get(target)) }));
}

function answer() {
  const snapshot = ChromeUtils.readHeapSnapshot(file);
  const tree = snapshot.computeDominatorTree();
  const lines = dominatorLines(tree);
  const { creationTime } = snapshot;
  const out = { creationTime, title: getSnapshotTitle({ creationTime, imported: true, path: file }), census: {}, diff: {}, lines,
                dominatorTree: dominatorRow(DominatorTreeNode.partialTraversal(tree, snapshot, labelBreakdown)),
                paths: shortestPaths(snapshot, tree, lines) };
  const second = newer && ChromeUtils.readHeapSnapshot(newer);
  for (const [name, breakdown] of Object.entries(breakdowns)) {
    const report = snapshot.takeCensus({ breakdown });
    out.census[name] = plain(report);
    if (second) {
      const delta = CensusUtils.diff(breakdown, report, second.takeCensus({ breakdown }));
      out.diff[name] = { delta: plain(delta), basisTotalBytes: delta[CensusUtils.basisTotalBytes],
                         basisTotalCount: delta[CensusUtils.basisTotalCount] };
    }
  }
  return out;
}

(async () => {
  let out;
  try {
    out = answer();
  } catch (error) {
    out = { error: `${error.name}: ${error.message}` };
  }
  await IOUtils.writeUTF8(answerPath, JSON.stringify(out));
})().then(() => done(null), error => done(String(error)));
