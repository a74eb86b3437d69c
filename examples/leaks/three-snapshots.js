// SPDX-License-Identifier: MIT
//
// Writes three heap snapshots around something that is suspected of leaking:
//
//     1-before    after a warm-up, so that caches are filled, modules loaded and functions compiled
//     2-after     after the suspected action
//     3-later     after the same again and a moment of rest
//
// What is new in the second and still there in the third should not be: the action was over long before.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const timers = require('node:timers/promises');
const v8 = require('node:v8');

const REST_MS = 100;

module.exports = async function threeSnapshots(directory, {warmUp, action}) {
    if (directory === undefined) {
        console.error(`usage: node ${path.basename(process.argv[1])} DIRECTORY`);
        process.exit(2);
    }
    fs.mkdirSync(directory, {recursive: true});
    // Nothing is printed in between: the first line that is makes Node.js load modules, which would be new, too.
    const snapshot = async name => {
        await timers.setTimeout(REST_MS);
        v8.writeHeapSnapshot(path.join(directory, `${name}.heapsnapshot`)); // collects garbage first
    };
    await warmUp();
    await snapshot('1-before');
    await action();
    await snapshot('2-after');
    await action();
    await snapshot('3-later');
};
