#!/usr/bin/env node
// SPDX-License-Identifier: MIT
//
// Starts the program of this package in its own place: the same streams, signals and exit status.
'use strict';
const {spawn} = require('node:child_process');
const os = require('node:os');
const path = require('node:path');

const CANNOT_START = 4; // as ubiheap itself says that the system failed

function cannotStart(why) {
    console.error(`ubiheap: ${why}`);
    process.exit(CANNOT_START);
}

if (process.platform !== 'linux' || process.arch !== 'x64')
    cannotStart(`this package has the program for Linux on x86-64; here is ${process.platform} on ${process.arch}`);

const program = spawn(path.join(__dirname, 'bin', 'ubiheap'), process.argv.slice(2), {stdio: 'inherit'});

// What a terminal sends, it sends to the program itself; all else comes to us alone.
const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ['SIGINT', 'SIGQUIT'])
    process.on(signal, () => atTerminal || program.kill(signal));
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'])
    process.on(signal, () => program.kill(signal));

program.on('error', error => {
    const missing = error.code === 'ENOENT';
    cannotStart(missing ? 'the program does not start; it needs the C library of GNU, 2.31 or newer' : error.message);
});
program.on('exit', (status, signal) => {
    if (signal === null)
        process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + os.constants.signals[signal]), 1000); // a signal that does not end us
});
