/* SPDX-License-Identifier: MIT
 *
 * Behind attach_toolbox.js: what a user does in the Memory panel: snapshots, views, call stacks, differences.
 */
/* global openTool, seen */
/* exported openPanel, takeSnapshot, selectView, selectDisplay, selectDifference, toggleRecording, treeOf, outline */

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

function choose(panel, list, value) {
    const select = panel.panelWin.document.querySelector(list);
    select.value = value;
    select.dispatchEvent(new panel.panelWin.Event("change", { bubbles: true }));
}

/* By the name of the state, of the newest snapshot. */
async function selectView(panel, name, view) {
    choose(panel, "#select-view", name);
    return seen(() => {
        const snapshot = stateOf(panel).snapshots.at(-1);
        return isSettled(snapshot[view]) && snapshot[view];
    });
}

/* What a census is grouped by, in the view of censuses: "Type", "Call Stack". */
async function selectDisplay(panel, name) {
    choose(panel, "#select-display", name);
    return seen(() => {
        const { census } = stateOf(panel).snapshots.at(-1);
        return census?.display.displayName === name && isSettled(census) && census;
    });
}

/* The difference of the snapshots with these numbers, in the list's order. */
async function selectDifference(panel, ...numbers) {
    const document = panel.panelWin.document;
    document.querySelector("#diff-snapshots").click();
    for (const number of numbers) {
        const item = await seen(() => document.querySelectorAll(".snapshot-list-item")[number]);
        await seen(() => item.querySelector("input[type=checkbox]"));
        item.click();
    }
    return seen(() => {
        const { diffing } = stateOf(panel);
        return (diffing.error || /took-diff/.test(diffing.state)) && diffing;
    });
}

async function toggleRecording(panel, isWanted) {
    panel.panelWin.document.querySelector("#record-allocation-stacks-checkbox").click();
    await seen(() => stateOf(panel).allocations.recording === isWanted && !stateOf(panel).allocations.togglingInProgress);
}

/* A node of a census tree, as plain values. A name is a text, a frame, or null. */
function treeOf({ name, count, bytes, totalCount, totalBytes, children }) {
    const { source, line, column, functionDisplayName } = name || {};
    return { name: source === undefined ? name : { source, line, column, functionDisplayName },
             count, bytes, totalCount, totalBytes, children: (children || []).map(treeOf) };
}

function outline(snapshot) {
    return { error: snapshot.error && String(snapshot.error), state: snapshot.state, path: snapshot.path };
}
