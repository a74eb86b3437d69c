// SPDX-License-Identifier: MIT
//
// Leaks. Answers of a slow service are cached by the exact coordinates that were asked for, which are hardly ever the
// same twice. There is no limit.
'use strict';
const {steps, randomFrom} = require('../steps.js');

class Place {
    constructor(latitude, longitude) {
        this.name = `place at ${latitude.toFixed(2)}, ${longitude.toFixed(2)}`;
        this.country = `country ${Math.floor(latitude / 30)}`;
    }
}

class Geocoder {
    constructor() {
        this.cache = new Map();
        this.countries = new Map();
        this.hits = 0;
    }

    place(latitude, longitude) {
        const key = `${latitude},${longitude}`;
        const known = this.cache.get(key);
        if (known) {
            this.hits++;
            return known;
        }
        const place = new Place(latitude, longitude);
        this.cache.set(key, place);
        this.countries.set(place.country, (this.countries.get(place.country) ?? 0) + 1);
        return place;
    }
}

const geocoder = new Geocoder(), random = randomFrom(3);

function handle() {
    const place = geocoder.place(random() * 180 - 90, random() * 360 - 180);
    return {place, countries: geocoder.countries.size};
}

steps({handle});
