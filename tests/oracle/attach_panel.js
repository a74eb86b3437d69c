/* SPDX-License-Identifier: MIT
 *
 * Connects about:debugging to a server, inspects its first tab, and uses the Memory panel: two snapshots, three views, call stacks. Runs in
 * Firefox's parent process. arguments: port, callback, which gets what was seen, or {error}.
 */
/* global ChromeUtils, Services */
const [port, done] = arguments;

function pause(milliseconds) {
    return new Promise(resolve => window.setTimeout(resolve, milliseconds));
}

/* The first value of `look` that is one. */
async function seen(look) {
    for (;;) {
        const found = look();
        if (found)
            return found;
        await pause(50);
    }
}

const window = Services.wm.getMostRecentWindow("navigator:browser");

/* The panel's state, when it knows whom to ask. */
function stateOf(panel) {
    const store = panel.initializer?.store || panel.panelWin.gStore;
    return store?.getState();
}

/* The text of the page that lists what can be inspected, with its warnings. */
async function openDebugging() {
    Services.prefs.setStringPref("devtools.aboutdebugging.network-locations", JSON.stringify([`127.0.0.1:${port}`]));
    window.gBrowser.selectedTab = window.gBrowser.addTab("about:debugging#/setup", {
        triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal(),
    });
    const browser = window.gBrowser.selectedBrowser;
    const find = selector => browser.contentDocument?.querySelector(selector);
    (await seen(() => find(".qa-connect-button"))).click();
    const item = await seen(() => find(".qa-debug-target-item"));
    await seen(() => find(".qa-runtime-name"));
    return { name: find(".qa-runtime-name").textContent, item: item.textContent,
             warnings: [...browser.contentDocument.querySelectorAll(".message--level-warning, .message--level-error")].map(one => one.textContent),
             inspect: () => find(".qa-debug-target-inspect-button").click() };
}

async function openPanel() {
    const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
    const { gDevTools } = require("devtools/client/framework/devtools");
    const toolbox = await seen(() => gDevTools.getToolboxes()[0]);
    await (toolbox.isReady || new Promise(resolve => toolbox.once("ready", resolve)));
    const panel = await toolbox.selectTool("memory");
    await seen(() => stateOf(panel)?.front);
    return panel;
}

/* A view of a snapshot that is there, or will not be. */
function isSettled(view) {
    return /saved|error|loaded/.test(String(view?.state)) && !/saving/.test(view.state);
}

async function takeSnapshot(panel, view) {
    const n = stateOf(panel).snapshots.length;
    panel.panelWin.document.querySelector("#take-snapshot").click();
    return seen(() => {
        const snapshot = stateOf(panel).snapshots[n];
        return snapshot && (snapshot.error || isSettled(snapshot[view])) && snapshot;
    });
}

/* By the name of the state, of the newest snapshot. */
async function selectView(panel, name, view) {
    const select = panel.panelWin.document.querySelector("#select-view");
    select.value = name;
    select.dispatchEvent(new panel.panelWin.Event("change", { bubbles: true }));
    return seen(() => {
        const snapshot = stateOf(panel).snapshots.at(-1);
        return isSettled(snapshot[view]) && snapshot[view];
    });
}

async function toggleRecording(panel, isWanted) {
    panel.panelWin.document.querySelector("#record-allocation-stacks-checkbox").click();
    await seen(() => stateOf(panel).allocations.recording === isWanted && !stateOf(panel).allocations.togglingInProgress);
}

function outline(snapshot) {
    return { error: snapshot.error && String(snapshot.error), state: snapshot.state, path: snapshot.path };
}

async function drive() {
    const { inspect, ...result } = await openDebugging();
    inspect();
    const panel = await openPanel();
    const first = await takeSnapshot(panel, "treeMap");
    result.first = outline(first);
    result.treeMap = first.treeMap?.report.children.map(({ name, totalCount, totalBytes }) => ({ name, totalCount, totalBytes }));
    const census = await selectView(panel, "view-state-census", "census");
    result.census = census.report.children.map(({ name, totalCount, totalBytes }) => ({ name, totalCount, totalBytes }));
    const { root } = await selectView(panel, "view-state-dominator-tree", "dominatorTree");
    result.dominators = { nodeId: String(root.nodeId), retainedSize: root.retainedSize };
    await toggleRecording(panel, true);
    await pause(200);
    await selectView(panel, "view-state-tree-map", "treeMap");
    result.second = outline(await takeSnapshot(panel, "treeMap"));
    await toggleRecording(panel, false);
    result.rows = panel.panelWin.document.querySelector(".list").children.length;
    return result;
}

drive().then(done, error => done({ error: `${error}\n${error.stack}` }));
