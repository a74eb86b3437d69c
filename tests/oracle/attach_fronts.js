/* SPDX-License-Identifier: MIT
 *
 * Connects Firefox's own client to a server, and uses its fronts as the toolbox does: tab, targets, memory. Runs in Firefox's parent process.
 * arguments: port, callback, which gets what was seen, or {error}.
 */
/* global ChromeUtils */
const [port, done] = arguments;
const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
const { DevToolsClient } = require("devtools/client/devtools-client");
const { CommandsFactory } = require("devtools/shared/commands/commands-factory");

function censusOf(path) {
    return ChromeUtils.readHeapSnapshot(path).takeCensus({
        breakdown: { by: "coarseType", objects: { by: "objectClass", then: { by: "count", count: true, bytes: true }, other: { by: "count" } },
                     strings: { by: "count", count: true, bytes: true }, scripts: { by: "count" }, other: { by: "count" } },
    });
}

async function record(memory, seen) {
    seen.started = await memory.startRecordingAllocations({ probability: 1, maxLogLength: 100 });
    seen.settings = await memory.getAllocationsSettings();
    do
        seen.allocations = await memory.getAllocations();
    while (!seen.allocations.allocations.length);
    seen.stopped = await memory.stopRecordingAllocations();
}

async function drive() {
    const seen = {};
    ChromeUtils.notifyDevToolsOpened();
    const client = new DevToolsClient(await DevToolsClient.socketConnect({ host: "127.0.0.1", port }));
    await client.connect();
    const device = await client.mainRoot.getFront("device");
    seen.description = await device.getDescription();
    const [tab] = await client.mainRoot.listTabs();
    seen.title = tab.title;
    const commands = await CommandsFactory.forRemoteTab(tab.browserId, { client });
    await commands.targetCommand.startListening();
    const memory = await commands.targetCommand.targetFront.getFront("memory");
    seen.stateBefore = await memory.getState();
    await memory.attach();
    seen.state = await memory.getState();
    const collected = new Promise(resolve => memory.once("garbage-collection", resolve));
    await memory.forceGarbageCollection();
    seen.collection = await collected;
    await memory.forceCycleCollection();
    seen.census = await memory.takeCensus();
    seen.measure = await memory.measure();
    seen.residentUnique = await memory.residentUnique();
    await record(memory, seen);
    seen.path = await memory.saveHeapSnapshot();
    seen.ofSnapshot = censusOf(seen.path);
    const console_ = await commands.targetCommand.targetFront.getFront("console");
    seen.evaluation = await console_.evaluateJSAsync({ text: "1 + 1" });
    await memory.detach();
    await commands.destroy();
    return seen;
}

drive().then(seen => done(JSON.parse(JSON.stringify(seen))), error => done({ error: `${error}\n${error.stack}` }));
