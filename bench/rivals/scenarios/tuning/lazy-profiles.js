// SPDX-License-Identifier: MIT
//
// Does not leak. Each of 130 members that were loaded at start gets a profile with his first request; nearly all have come before
// the second snapshot.
'use strict';
const {steps, randomFrom} = require('../steps.js');

class Member {
    constructor(number) {
        this.number = number;
        this.profile = null;
    }
}

class Profile {
    constructor(member) {
        this.name = `member ${member.number}`;
        this.since = new Date(1e12 + member.number);
    }
}

const members = Array.from({length: 130}, (_, i) => new Member(i)), random = randomFrom(11);

function handle(request) {
    const names = request.body.lines.map(() => {
        const member = members[Math.floor(random() * members.length)];
        member.profile ??= new Profile(member);
        return member.profile.name;
    });
    return {names};
}

steps({handle});
