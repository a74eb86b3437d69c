// SPDX-License-Identifier: MIT
//
// Does not leak. A hash table with slots made in advance doubles when it is three quarters full. The names that it holds are those of
// a schema: all of them are there soon.
'use strict';
const {steps} = require('../steps.js');

class Slot {
    constructor() {
        this.name = null;
        this.uses = 0;
    }
}

class SymbolTable {
    constructor() {
        this.slots = SymbolTable.empty(32);
        this.used = 0;
    }

    static empty(size) {
        return Array.from({length: size}, () => new Slot());
    }

    static hash(name) {
        let hash = 5381;
        for (let i = 0; i < name.length; i++)
            hash = (Math.imul(hash, 33) ^ name.charCodeAt(i)) >>> 0;
        return hash;
    }

    slotOf(name) {
        for (let at = SymbolTable.hash(name);; at++) {
            const slot = this.slots[at % this.slots.length];
            if (slot.name === null || slot.name === name)
                return slot;
        }
    }

    grow() {
        const old = this.slots;
        this.slots = SymbolTable.empty(old.length * 2);
        for (const slot of old)
            if (slot.name !== null)
                Object.assign(this.slotOf(slot.name), slot);
    }

    use(name) {
        if (this.used * 4 >= this.slots.length * 3)
            this.grow();
        const slot = this.slotOf(name);
        if (slot.name === null) {
            slot.name = name;
            this.used++;
        }
        return ++slot.uses;
    }
}

const symbols = new SymbolTable();

function handle(request) {
    // 97 products of five lines at most, and their columns
    return request.body.lines.map(line => symbols.use(line.sku) + symbols.use(`column ${line.sku.length}`));
}

steps({handle});
