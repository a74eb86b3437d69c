// SPDX-License-Identifier: MIT
//
// Leaks. Views read a reactive store through a Proxy, which remembers their bound render functions to call them on a change. A view
// that is closed never unsubscribes.
'use strict';
const {steps} = require('../steps.js');

let reading = null;

function reactive(state) {
    const subscribers = new Map(Object.keys(state).map(key => [key, new Set()]));
    return new Proxy(state, {
        get(target, key) {
            if (reading)
                subscribers.get(key)?.add(reading);
            return target[key];
        },
        set(target, key, value) {
            target[key] = value;
            for (const render of subscribers.get(key) ?? [])
                render();
            return true;
        },
    });
}

const store = reactive({currency: 'EUR', visitors: 0, theme: 'light'});

class PriceView {
    constructor(lines) {
        this.lines = lines;
        this.html = '';
        this.open = true;
        const render = this.render.bind(this);
        reading = render;
        render();
        reading = null;
    }

    render() {
        if (!this.open)
            return;
        this.html = this.lines.map(line => `<b>${line.quantity * 3} ${store.currency}</b>`).join('');
    }

    close() {
        this.open = false;
        this.html = '';
    }
}

function handle(request) {
    const view = new PriceView(request.body.lines);
    const {length} = view.html;
    view.close();
    if (request.number % 50 === 0)
        store.currency = store.currency === 'EUR' ? 'USD' : 'EUR';
    return {length};
}

steps({handle});
