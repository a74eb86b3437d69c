// SPDX-License-Identifier: MIT
//
// Leaks. Each request runs in a context of its own (AsyncLocalStorage). One request in two subscribes to a feed, whose
// resources keep the context that they were made in; the feed never lets one go.
'use strict';
const {AsyncLocalStorage, AsyncResource} = require('node:async_hooks');
const {steps} = require('../steps.js');

const contexts = new AsyncLocalStorage();

class RequestContext {
    constructor(request) {
        this.request = request;
        this.started = request.number;
        this.marks = [];
    }
}

class Subscription extends AsyncResource {
    constructor(topic) {
        super('Subscription');
        this.topic = topic;
    }

    deliver(value) {
        this.runInAsyncScope(() => contexts.getStore().marks.push(value));
    }
}

class Feed {
    constructor() {
        this.subscriptions = [];
    }

    subscribe(topic) {
        this.subscriptions.push(new Subscription(topic));
    }
}

const feed = new Feed();

function handle(request) {
    return contexts.run(new RequestContext(request), async () => {
        contexts.getStore().marks.push('begin');
        if (request.number % 2)
            feed.subscribe(request.path);
        await null;
        contexts.getStore().marks.push('end');
        return contexts.getStore().marks;
    });
}

steps({handle});
