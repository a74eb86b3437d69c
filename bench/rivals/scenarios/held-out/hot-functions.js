// SPDX-License-Identifier: MIT
//
// Does not leak. A calculator compiles formulas of the forty products into functions and sees rows of many shapes. The engine gathers
// feedback, makes shapes and compiles code; the program itself keeps the functions and a running sum.
'use strict';
const {steps} = require('../steps.js');

const PRODUCTS = 40;

class Money {
    constructor(cents) {
        this.cents = cents;
    }

    plus(other) {
        return new Money(this.cents + other.cents);
    }
}

function compile(product) {
    const factor = 1 + product % 7;
    const formula = new Function('row', 'Money',
        `const base = row.quantity * ${100 + product}; return new Money(base * ${factor} - (row['d${product % 9}'] ?? 0));`);
    return row => formula(row, Money);
}

class Calculator {
    constructor() {
        this.formulas = [];
        this.sum = new Money(0);
    }

    price(product, row) {
        const formula = this.formulas[product] ??= compile(product);
        const money = formula(row);
        this.sum = this.sum.plus(money);
        return money.cents;
    }
}

const calculator = new Calculator();

function handle(request) {
    let cents = 0;
    for (let round = 0; round < 20; round++)
        for (const line of request.body.lines) {
            const row = {quantity: line.quantity};
            row[`d${(request.number + round) % 9}`] = round;
            row[`e${round % 5}`] = line.sku;
            cents += calculator.price((request.number + round) % PRODUCTS, row);
        }
    return {cents};
}

steps({handle});
