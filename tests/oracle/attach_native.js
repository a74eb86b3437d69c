/* SPDX-License-Identifier: MIT
 *
 * Behind attach_toolbox.js: a tab of a native process, of which sizes are known and nothing else. The toolbox stays usable.
 */
/* global ChromeUtils, openDebugging, openTool, done */

function outcome(promise) {
    return promise.then(() => "works", error => String(error.message || error));
}

async function drive() {
    const { inspect, ...result } = await openDebugging();
    inspect();
    await openTool("webconsole");
    const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
    const { gDevTools } = require("devtools/client/framework/devtools");
    const memory = await gDevTools.getToolboxes()[0].commands.targetCommand.targetFront.getFront("memory");
    result.measure = await memory.measure();
    for (const name of ["attach", "takeCensus", "saveHeapSnapshot", "forceGarbageCollection"])
        result[name] = await outcome(memory[name]());
    for (const name of ["memory", "webconsole"])
        result[name] = await outcome(openTool(name));
    result.residentUnique = await memory.residentUnique();
    return result;
}

drive().then(done, error => done({ error: String(error), stack: error.stack }));
