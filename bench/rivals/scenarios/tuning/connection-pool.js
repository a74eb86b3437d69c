// SPDX-License-Identifier: MIT
//
// Does not leak. A pool of connections to a database grows with how many are needed at once, up to seventy; each is
// used again. A connection is replaced after two hundred statements.
'use strict';
const {EventEmitter} = require('node:events');
const {steps} = require('../steps.js');

const MOST = 70, STATEMENTS = 200;

class DatabaseConnection extends EventEmitter {
    constructor(number) {
        super();
        this.number = number;
        this.statements = 0;
        this.prepared = new Map();
        this.on('result', () => {
            this.statements++;
        });
    }

    async query(sql) {
        if (!this.prepared.has(sql))
            this.prepared.set(sql, {sql, plan: sql.split(' ')});
        await null;
        this.emit('result');
        return this.prepared.get(sql).plan.length;
    }
}

class Pool {
    constructor() {
        this.free = [];
        this.waiting = [];
        this.made = 0;
        this.size = 0;
    }

    async take() {
        if (this.free.length)
            return this.free.pop();
        if (this.size < MOST) {
            this.size++;
            return new DatabaseConnection(++this.made);
        }
        return new Promise(resolve => this.waiting.push(resolve));
    }

    give(connection) {
        if (connection.statements >= STATEMENTS)
            connection = new DatabaseConnection(++this.made);
        const next = this.waiting.shift();
        if (next)
            next(connection);
        else
            this.free.push(connection);
    }

    async query(sql) {
        const connection = await this.take();
        try {
            return await connection.query(sql);
        } finally {
            this.give(connection);
        }
    }
}

const pool = new Pool(), TABLES = ['orders', 'items', 'users'];

async function handle(request) {
    const atOnce = Math.min(90, 5 + Math.floor(request.number / 3));
    const results = await Promise.all(Array.from({length: atOnce}, (_, i) => pool.query(`select * from ${TABLES[i % 3]}`)));
    return {results: results.length};
}

steps({handle, requests: 150});
