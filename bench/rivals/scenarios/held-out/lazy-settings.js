// SPDX-License-Identifier: MIT
//
// Does not leak. A tenant's settings are computed when they are first read, by getters that put their value in their own place. There
// are ninety tenants, who come one after the other.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const TENANTS = 90;

function lazily(object, name, compute) {
    Object.defineProperty(object, name, {
        configurable: true,
        enumerable: true,
        get() {
            const value = compute.call(this);
            Object.defineProperty(this, name, {value, enumerable: true});
            return value;
        },
    });
}

class Palette {
    constructor(tenant) {
        this.colours = Array.from({length: 12}, (_, i) => `#${((tenant * 7919 + i * 104729) % 0xffffff).toString(16)}`);
    }
}

class Translations {
    constructor(tenant) {
        this.words = new Map(['order', 'item', 'price', 'search'].map(word => [word, `${word} of ${tenant}`]));
    }
}

class Settings {
    constructor(tenant) {
        this.tenant = tenant;
        lazily(this, 'palette', () => new Palette(tenant));
        lazily(this, 'translations', () => new Translations(tenant));
        lazily(this, 'limits', () => ({orders: tenant * 10, items: tenant * 100}));
    }
}

const tenants = Array.from({length: TENANTS}, (_, i) => new Settings(i));
const random = randomFrom(7);

function handle(request) {
    const settings = tenants[Math.floor(random() * TENANTS)];
    return {
        colour: settings.palette.colours[request.number % 12],
        title: settings.translations.words.get('order'),
        most: settings.limits.orders,
    };
}

steps({handle});
