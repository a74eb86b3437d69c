/* SPDX-License-Identifier: MIT
 *
 * Behind attach_toolbox.js: a tab of a native process, of which sizes and allocations are known, and no objects. The toolbox stays usable.
 */
/* global ChromeUtils, openDebugging, openTool, done */

function outcome(promise) {
    return promise.then(() => "works", error => String(error.message || error));
}

/* What it allocates, with names of the frames in which. */
async function allocationsOf(memory) {
    await memory.startRecordingAllocations({ probability: 1, maxLogLength: 5000 });
    const sizes = [], functions = new Set();
    while (!sizes.some(size => size >= 1 << 20)) {
        const { allocationSizes, frames } = await memory.getAllocations();
        sizes.push(...allocationSizes);
        for (const frame of frames)
            functions.add(frame && frame.functionDisplayName);
    }
    await memory.stopRecordingAllocations();
    return { sizes, functions: [...functions] };
}

/* Of clients there is none that has it: its packets, as they are. */
async function profileOf(target) {
    const to = target.targetForm.memprofActor, ask = type => target.client.request({ to, type });
    const running = await ask("getResults");
    await ask("stopProfiler");
    const { ret } = await ask("getResults");
    await ask("resetProfiler");
    return { running: running.ret, tables: Object.keys(ret), events: ret.events.length, reset: (await ask("getResults")).ret };
}

async function drive() {
    const { inspect, ...result } = await openDebugging();
    inspect();
    await openTool("webconsole");
    const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
    const { gDevTools } = require("devtools/client/framework/devtools");
    const target = gDevTools.getToolboxes()[0].commands.targetCommand.targetFront, memory = await target.getFront("memory");
    result.measure = await memory.measure();
    for (const name of ["attach", "takeCensus", "saveHeapSnapshot", "forceGarbageCollection"])
        result[name] = await outcome(memory[name]());
    result.allocations = await allocationsOf(memory);
    result.profile = await profileOf(target);
    for (const name of ["memory", "webconsole"])
        result[name] = await outcome(openTool(name));
    result.residentUnique = await memory.residentUnique();
    return result;
}

drive().then(done, error => done({ error: String(error), stack: error.stack }));
