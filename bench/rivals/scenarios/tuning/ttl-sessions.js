// SPDX-License-Identifier: MIT
//
// Does not leak. Sessions end 240 requests after they were last used; a sweep every 30 requests takes them out.
'use strict';
const {steps, randomFrom} = require('../steps.js');

const LIFE = 240, SWEEP = 30;

class Session {
    constructor(user, now) {
        this.user = user;
        this.basket = [];
        this.used = now;
    }
}

class SessionStore {
    constructor() {
        this.sessions = new Map();
        this.clock = 0;
    }

    of(user) {
        this.clock++;
        if (this.clock % SWEEP === 0)
            this.sweep();
        let session = this.sessions.get(user);
        if (!session)
            this.sessions.set(user, session = new Session(user, this.clock));
        session.used = this.clock;
        return session;
    }

    sweep() {
        for (const [user, session] of this.sessions)
            if (session.used < this.clock - LIFE)
                this.sessions.delete(user);
    }
}

const store = new SessionStore(), random = randomFrom(23);

function handle(request) {
    // Half of the visitors come back.
    const user = request.number % 2 ? request.user : `regular-${Math.floor(random() * 60)}`;
    const session = store.of(user);
    session.basket.push(...request.body.lines.slice(0, 1));
    session.basket.length = Math.min(session.basket.length, 5);
    return {items: session.basket.length, sessions: store.sessions.size};
}

steps({handle});
