/* SPDX-License-Identifier: MIT
 *
 * Behind attach_toolbox.js: uses the Memory panel: two snapshots, three views, call stacks.
 */
/* global openDebugging, openTool, pause, seen, done */

/* The panel's state, when it knows whom to ask. */
function stateOf(panel) {
    const store = panel.initializer?.store || panel.panelWin.gStore;
    return store?.getState();
}

async function openPanel() {
    const panel = await openTool("memory");
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
