// SPDX-License-Identifier: MIT
//
// Does not leak. Wrappers are kept beside what they wrap in a WeakMap, and found again by a WeakRef; a
// FinalizationRegistry takes dead entries out. Forty orders are open at any time.
'use strict';
const {steps} = require('../steps.js');

const OPEN = 40;

class Order {
    constructor(request) {
        this.number = request.number;
        this.lines = request.body.lines;
    }
}

class OrderView {
    constructor(order) {
        this.order = order;
        this.title = `Order ${order.number}`;
        this.rows = order.lines.map(line => `${line.quantity} x ${line.sku}`);
    }
}

const views = new WeakMap(), byNumber = new Map();
const finalizers = new FinalizationRegistry(number => byNumber.delete(number));

function viewOf(order) {
    let view = views.get(order);
    if (!view) {
        view = new OrderView(order);
        views.set(order, view);
        byNumber.set(order.number, new WeakRef(view));
        finalizers.register(view, order.number);
    }
    return view;
}

const open = [];

function handle(request) {
    open.push(new Order(request));
    if (open.length > OPEN)
        open.shift();
    const view = viewOf(open[0]);
    return {title: view.title, rows: view.rows.length, found: byNumber.get(open[0].number)?.deref() === view};
}

steps({handle});
