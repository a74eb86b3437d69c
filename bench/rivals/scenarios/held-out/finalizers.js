// SPDX-License-Identifier: MIT
//
// Leaks. Thumbnails shall give their slot back when they are collected. What the registry keeps for that day refers to the
// thumbnail itself, so that day never comes.
'use strict';
const {steps} = require('../steps.js');

class SlotTable {
    constructor() {
        this.taken = 0;
    }

    take() {
        return ++this.taken;
    }

    giveBack(slot) {
        this.taken -= slot ? 1 : 0;
    }
}

class Thumbnail {
    constructor(name, slots) {
        this.name = name;
        this.slot = slots.take();
        this.pixels = new Array(64).fill(this.slot % 256);
    }

    release(slots) {
        slots.giveBack(this.slot);
    }
}

const slots = new SlotTable();
const finalizers = new FinalizationRegistry(release => release());

function thumbnailOf(name) {
    const thumbnail = new Thumbnail(name, slots);
    finalizers.register(thumbnail, function releaseSlot() {
        thumbnail.release(slots);
    });
    return thumbnail;
}

function handle(request) {
    const thumbnails = request.body.lines.map(line => thumbnailOf(`${line.sku}.png`));
    return thumbnails.reduce((sum, thumbnail) => sum + thumbnail.pixels[0], 0);
}

steps({handle});
