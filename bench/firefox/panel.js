/* SPDX-License-Identifier: MIT
 *
 * Imports a file into the Memory panel of Firefox's own tools, as its button does, and waits until the panel shows the tree map, then the
 * dominator tree. Runs in Firefox's parent process. arguments: path, callback, which gets milliseconds from the import on, or {error}.
 */
/* global ChromeUtils, Services */
const [path, done] = arguments;
const window = Services.wm.getMostRecentWindow("navigator:browser");
const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
const { gDevTools } = require("devtools/client/framework/devtools");

function frame(panel) {
    return new Promise(resolve => panel.panelWin.requestAnimationFrame(resolve));
}

async function until(panel, look) {
    while (!look())
        await frame(panel);
    await frame(panel);
}

async function drive() {
    const toolbox = await gDevTools.showToolboxForTab(window.gBrowser.selectedTab, { toolId: "memory" });
    const panel = toolbox.getCurrentPanel();
    const store = panel.initializer?.store || panel.panelWin.gStore;
    const { document } = panel.panelWin;
    const { BrowserLoader } = ChromeUtils.importESModule("resource://devtools/shared/loader/browser-loader.sys.mjs");
    const load = BrowserLoader({ baseURI: "resource://devtools/client/memory/", window: panel.panelWin }).require;
    const { importSnapshotAndCensus } = load("devtools/client/memory/actions/io");
    const snapshot = () => store.getState().snapshots.at(-1);
    while (!store.getState().front)
        await frame(panel);
    const began = panel.panelWin.performance.now();
    store.dispatch(importSnapshotAndCensus(panel.panelWin.gHeapAnalysesClient, path));
    await until(panel, () => snapshot()?.error || snapshot()?.treeMap?.state === "tree-map-state-saved");
    const treeMapMs = panel.panelWin.performance.now() - began;
    const select = document.querySelector("#select-view");
    select.value = "view-state-dominator-tree";
    select.dispatchEvent(new panel.panelWin.Event("change", { bubbles: true }));
    await until(panel, () => snapshot().error || snapshot().dominatorTree?.state === "dominator-tree-state-loaded");
    const { error, treeMap, dominatorTree } = snapshot();
    if (error)
        return { error: String(error) };
    const result = { treeMapMs, dominatorsMs: panel.panelWin.performance.now() - began, nodes: treeMap.report.totalCount,
                     retainedSize: dominatorTree.root.retainedSize };
    await toolbox.destroy();
    return result;
}

drive().then(done, error => done({ error: `${error}\n${error.stack}` }));
