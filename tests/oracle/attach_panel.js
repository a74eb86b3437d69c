/* SPDX-License-Identifier: MIT
 *
 * Behind attach_memory.js: uses the Memory panel: two snapshots, three views, their difference, call stacks.
 */
/* global openDebugging, openPanel, takeSnapshot, selectView, selectDisplay, selectDifference, toggleRecording, treeOf, outline */
/* global pause, toolboxOf, done */

async function drive() {
    const { inspect, ...result } = await openDebugging();
    inspect();
    const panel = await openPanel();
    const first = await takeSnapshot(panel, "treeMap");
    result.first = outline(first);
    result.treeMap = first.treeMap?.report.children.map(({ name, totalCount, totalBytes }) => ({ name, totalCount, totalBytes }));
    const census = await selectView(panel, "view-state-census", "census");
    result.census = treeOf(census.report);
    const { root } = await selectView(panel, "view-state-dominator-tree", "dominatorTree");
    result.dominators = { nodeId: String(root.nodeId), retainedSize: root.retainedSize };
    await toggleRecording(panel, true);
    await pause(200);
    await selectView(panel, "view-state-census", "census");
    result.second = outline(await takeSnapshot(panel, "census"));
    await toggleRecording(panel, false);
    result.stacks = treeOf((await selectDisplay(panel, "Call Stack")).report);
    await selectDisplay(panel, "Type");
    const difference = await selectDifference(panel, 0, 1);
    result.difference = difference.error ? String(difference.error) : treeOf(difference.census.report);
    result.rows = panel.panelWin.document.querySelector(".list").children.length;
    await toolboxOf().destroy();
    return result;
}

drive().then(done, error => done({ error: `${error}\n${error.stack}` }));
