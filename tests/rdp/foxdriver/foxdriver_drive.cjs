// SPDX-License-Identifier: MIT
//
// foxdriver_drive.cjs PORT: attaches foxdriver to a server, calls each method of its memory and timeline actors, and its console, and prints what
// it saw as JSON.
const foxdriver = require("foxdriver");

const Foxdriver = foxdriver.default || foxdriver;
const seen = { errors: [], events: [] };

/* What a call refuses with. */
async function refusal(call) {
    try {
        await call();
        return null;
    } catch (error) {
        return error.message;
    }
}

/* What a call gives, of the right kind. An event that crosses a request on its way is taken for the reply: then it is asked again. */
async function answer(call, isRight) {
    for (;;) {
        const value = await call();
        if (isRight(value))
            return value;
    }
}

async function driveMemory(memory) {
    memory.on("garbage-collection", event => seen.events.push(event));
    seen.stateBefore = await memory.getState();
    seen.measureDetached = await memory.measure();
    await memory.attach();
    seen.state = await memory.getState();
    seen.census = await memory.takeCensus();
    seen.started = await memory.startRecordingAllocations({ probability: 1, maxLogLength: 500 });
    seen.settings = await memory.getAllocationsSettings();
    do
        seen.allocations = await memory.getAllocations();
    while (seen.allocations.allocations.length < 3);
    seen.stopped = await memory.stopRecordingAllocations();
    seen.notRecording = await refusal(() => memory.getAllocations());
    seen.collected = await memory.forceGarbageCollection();
    seen.stateAfterCollection = await memory.getState(); // at once: FOX-2
    const both = [memory.forceGarbageCollection(), memory.getState()]; // and without waiting
    seen.together = await Promise.all(both);
    seen.cycles = await memory.forceCycleCollection();
    while (seen.events.length < 2)
        await new Promise(resolve => setTimeout(resolve, 20));
    seen.snapshot = await answer(() => memory.saveHeapSnapshot(null), id => id);
    seen.measure = await answer(() => memory.measure(), sizes => sizes.total);
    await memory.detach();
    seen.stateDetached = await answer(() => memory.getState(), state => state === "detached");
}

async function driveConsole(fox) {
    seen.messages = [];
    fox.on("consoleAPICall", event => seen.messages.push(event.message.arguments[0]));
    seen.listening = await fox.startListeners();
    seen.sum = await fox.evaluateJSAsync((a, b) => a + b + typeof window, 40, 2);
    seen.thrown = await refusal(() => fox.evaluateJSAsync(() => { throw new Error("bad"); }));
    await fox.evaluateJSAsync(() => { console.log("said"); });
    while (!seen.messages.length)
        await new Promise(resolve => setTimeout(resolve, 20));
    seen.cached = await fox.getCachedMessages();
    await fox.stopListeners();
}

/* Its events come once it asks for nothing for a while. */
async function driveTimeline(timeline) {
    seen.timeline = { markers: [], ticks: [], memory: [], frames: [] };
    for (const name of Object.keys(seen.timeline))
        timeline.on(name, event => seen.timeline[name].push(event));
    seen.wasRecording = await timeline.isRecording();
    seen.timelineStarted = await timeline.start(true, true, true, true, true, true);
    seen.isRecording = await timeline.isRecording();
    const hasRun = () => seen.timeline.markers.some(event => event.markers.some(m => m.name === "Javascript"));
    while (!hasRun() || Object.values(seen.timeline).some(events => !events.length))
        await new Promise(resolve => setTimeout(resolve, 20));
    seen.timelineStopped = await answer(() => timeline.stop(), time => typeof time === "number");
    seen.isRecordingStill = await answer(() => timeline.isRecording(), value => value === false);
}

async function drive(port) {
    const { browser, tabs } = await Foxdriver.attach("127.0.0.1", port);
    seen.tabs = tabs.length;
    seen.title = tabs[0].data.title;
    seen.domains = ["memory", "console", "timeline"].filter(name => tabs[0][name]);
    seen.globals = ["device", "preference", "heapSnapshotFile"].filter(name => browser[name]);
    seen.description = await browser.device.getDescription();
    await driveMemory(tabs[0].memory);
    await driveTimeline(tabs[0].timeline);
    await driveConsole(tabs[0].console);
    browser.disconnect();
}

drive(Number(process.argv[2])).then(() => {
    console.log(JSON.stringify(seen));
    process.exit(0);
}, error => {
    console.error(error.stack, JSON.stringify(seen));
    process.exit(1);
});
