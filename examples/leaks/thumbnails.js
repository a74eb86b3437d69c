// SPDX-License-Identifier: MIT
//
// thumbnails.js DIRECTORY: a queue that scales pictures down, four at a time, each within ten minutes.
//
// The leak: the timer that guards a job is not cleared when the job is done in time. For ten minutes its callback keeps
// the job, and the job its picture.
'use strict';
const timers = require('node:timers/promises');
const threeSnapshots = require('./three-snapshots.js');

const JOBS = 60, AT_ONCE = 4;
const WIDTH = 256, HEIGHT = 128, SCALE = 8; // one byte per pixel: 32 KiB a picture
const MOST_MS = 10 * 60 * 1000;

class ThumbnailJob {
    constructor(number) {
        this.file = `picture-${number}.png`;
        this.pixels = Buffer.alloc(WIDTH * HEIGHT, number & 255);
        this.thumbnail = null;
    }

    async run() {
        await timers.setImmediate(); // a real one would wait for a disk or a worker here
        const width = WIDTH / SCALE, height = HEIGHT / SCALE;
        const small = Buffer.alloc(width * height);
        for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++)
                small[y * width + x] = this.pixels[y * SCALE * WIDTH + x * SCALE];
        this.thumbnail = small;
        return small.length;
    }
}

function withinTime(job) {
    const tooLate = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`${job.file} takes too long`)), MOST_MS).unref();
        // Missing: clearTimeout when the job is done.
    });
    return Promise.race([job.run(), tooLate]);
}

let written = 0;

async function worker(queue) {
    for (let job = queue.pop(); job !== undefined; job = queue.pop()) {
        const bytes = await withinTime(job);
        written += bytes;
    }
}

async function scale(count) {
    const queue = Array.from({length: count}, (_, i) => new ThumbnailJob(i));
    await Promise.all(Array.from({length: AT_ONCE}, () => worker(queue)));
}

threeSnapshots(process.argv[2], {warmUp: () => scale(8), action: () => scale(JOBS)})
    .then(() => console.log(`${written} bytes of thumbnails`));
