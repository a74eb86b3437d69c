/* SPDX-License-Identifier: MIT
 *
 * Behind attach_memory.js: the steps of docs/tutorial/debug-a-program-from-firefox.md, one of them at a time: the script before this one defines
 * `step`. What is seen at the end of a step is what the tutorial shows.
 */
/* global ChromeUtils, step, openDebugging, openPanel, openTool, takeSnapshot, selectView, selectDisplay, selectDifference, toggleRecording */
/* global window, toolboxOf, treeOf, outline, pause, seen, done */

/* The rows of the tree that is shown. */
function treeRows(panel) {
    return [...panel.panelWin.document.querySelectorAll(".heap-tree-item")];
}

function textsOf(nodes) {
    return nodes.map(node => node.textContent.trim());
}

/* The program has taken so many orders more. */
async function ordersCome(n) {
    const { scriptCommand } = toolboxOf().commands;
    const orders = async () => (await scriptCommand.execute("orders")).result;
    for (const end = await orders() + n; await orders() < end;)
        await pause(100);
}

const steps = {
    async connect() {
        const { item, name } = await openDebugging();
        return { item, name };
    },

    /* The first snapshot, while call stacks are recorded. */
    async look() {
        window.gBrowser.selectedBrowser.contentDocument.querySelector(".qa-debug-target-inspect-button").click();
        const panel = await openPanel();
        await toggleRecording(panel, true);
        await ordersCome(200);
        return outline(await takeSnapshot(panel, "treeMap"));
    },

    /* The second, and what came between them. */
    async compare() {
        const panel = await openPanel();
        await ordersCome(300);
        const second = outline(await takeSnapshot(panel, "treeMap"));
        await selectView(panel, "view-state-census", "census");
        await selectDisplay(panel, "Inverted Call Stack");
        const { error, census } = await selectDifference(panel, 0, 1);
        if (error)
            throw error;
        await seen(() => treeRows(panel).length || !census.report.children);
        return { second, tree: treeOf(census.report), rows: textsOf(treeRows(panel)) };
    },

    /* What would be freed with what, of the newest snapshot; and what holds the largest of them. */
    async hold() {
        const panel = await openTool("memory");
        const { document } = panel.panelWin;
        document.querySelector("#diff-snapshots").click();
        (await seen(() => document.querySelectorAll(".snapshot-list-item")[1])).click();
        await selectView(panel, "view-state-dominator-tree", "dominatorTree");
        const paths = await seen(() => {
            const row = treeRows(panel).find(node => /Set/.test(node.textContent));
            if (row && !row.matches(".focused"))
                row.click();
            const texts = textsOf([...document.querySelectorAll("#shortest-paths svg text")]);
            return texts.some(text => /Set/.test(text)) && texts;
        });
        return { rows: textsOf(treeRows(panel)), paths };
    },
};

steps[step]().then(done, error => done({ error: `${error}\n${error.stack}` }));
