// SPDX-License-Identifier: MIT
//
// foxdriver_native.cjs PORT: attaches foxdriver to a server of a native program, and records what that allocates until a megabyte was seen.
const foxdriver = require("foxdriver");

const Foxdriver = foxdriver.default || foxdriver;

async function drive(port) {
    const { tabs } = await Foxdriver.attach("127.0.0.1", port);
    const { memory } = tabs[0], seen = { tabs: tabs.length, sizes: [], functions: [] };
    await memory.attach();
    seen.state = await memory.getState();
    seen.started = await memory.startRecordingAllocations({ probability: 1, maxLogLength: 5000 });
    while (!seen.sizes.some(size => size >= 1 << 20)) {
        const { allocationSizes, frames } = await memory.getAllocations();
        seen.sizes.push(...allocationSizes);
        seen.functions.push(...frames.map(frame => frame && frame.functionDisplayName));
    }
    seen.settings = await memory.getAllocationsSettings();
    seen.stopped = await memory.stopRecordingAllocations();
    seen.measured = (await memory.measure()).total;
    await memory.detach();
    return seen;
}

drive(Number(process.argv[2])).then(seen => {
    process.stdout.write(JSON.stringify(seen), () => process.exit(0));
}, error => {
    process.stderr.write(String(error.stack || JSON.stringify(error)));
    process.exit(1);
});
