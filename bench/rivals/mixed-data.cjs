// SPDX-License-Identifier: MIT
//
// Data as an application keeps it: users, orders, maps, closures, buffers, a tree, a linked list. The same for equal
// `count`.
'use strict';

class User {
    constructor(i) {
        this.id = i;
        this.name = `user ${i} ${((i * 7919) % 1000003).toString(36)}`;
        this.tags = ['a' + (i % 50), 'b' + (i % 7)];
        this.created = new Date(i * 1000);
    }
}

class Order {
    constructor(i, user) {
        this.user = user;
        this.total = i * 1.5;
        this.lines = [{sku: 'S' + (i % 1000), qty: i % 5}, {sku: 'T' + (i % 777), qty: 1}];
        this.note = `note ${i}/${user.name}`;
    }
}

class TreeNode {
    constructor(key) {
        this.key = key;
        this.left = null;
        this.right = null;
    }
}

// A search tree of pseudo-random keys.
function tree(count) {
    let root = null;
    for (let i = 0, key = 12345; i < count; i++) {
        key = (Math.imul(key, 1103515245) + 12345) & 0x7fffffff;
        const leaf = new TreeNode(key);
        if (root === null) {
            root = leaf;
            continue;
        }
        for (let at = root;;) {
            const side = key < at.key ? 'left' : 'right';
            if (at[side] === null) {
                at[side] = leaf;
                break;
            }
            at = at[side];
        }
    }
    return root;
}

module.exports = function mixedData(count) {
    const users = [], orders = [], byName = new Map(), active = new Set(), callbacks = [], buffers = [];
    for (let i = 0; i < count; i++) {
        const user = new User(i);
        users.push(user);
        byName.set(user.name, user);
        if (i % 3 === 0)
            orders.push(new Order(i, user));
        if (i % 11 === 0)
            active.add(user);
        if (i % 17 === 0)
            callbacks.push(() => user.id + i);
        if (i % 97 === 0)
            buffers.push(new Uint8Array(64 + (i % 512)));
    }
    let list = null; // deep on purpose
    for (let i = 0; i < count / 4; i++)
        list = {next: list, value: i, half: i + 0.25};
    return {users, orders, byName, active, callbacks, buffers, index: tree(count / 2), list};
};
