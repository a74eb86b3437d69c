// SPDX-License-Identifier: MIT
//
// Does not leak. A large configuration is read again every 90 requests and takes the place of the old one; subscribers get the new one
// and forget the old.
'use strict';
const {EventEmitter} = require('node:events');
const {steps} = require('../steps.js');

class Rule {
    constructor(i, version) {
        this.pattern = `/${i}/${version}`;
        this.action = i % 3 ? 'allow' : 'deny';
        this.tags = [`t${i % 11}`, `v${version}`];
    }
}

class Config {
    constructor(version) {
        this.version = version;
        this.rules = Array.from({length: 180}, (_, i) => new Rule(i, version));
        this.byPattern = new Map(this.rules.map(rule => [rule.pattern, rule]));
    }
}

class ConfigStore extends EventEmitter {
    constructor() {
        super();
        this.current = new Config(1);
    }

    reload() {
        this.current = new Config(this.current.version + 1);
        this.emit('change', this.current);
    }
}

class Firewall {
    constructor(store) {
        this.config = store.current;
        store.on('change', config => {
            this.config = config;
        });
    }

    allows(request) {
        const {rules} = this.config;
        return rules[request.number % rules.length].action === 'allow';
    }
}

const store = new ConfigStore();
const firewalls = [new Firewall(store), new Firewall(store)];

function handle(request) {
    if (request.number % 90 === 0)
        store.reload();
    return {allowed: firewalls.every(firewall => firewall.allows(request)), version: store.current.version};
}

steps({handle});
