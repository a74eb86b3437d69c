// SPDX-License-Identifier: MIT
//
// Does not leak. Log lines are kept until the file is rotated, every 150 lines; the two files before the present one stay open to be
// looked through.
'use strict';
const {steps} = require('../steps.js');

const LINES = 150, KEPT = 2;

class LogLine {
    constructor(request, status) {
        this.text = `${request.number} ${request.user} ${request.path} ${status}`;
        this.status = status;
        this.fields = {user: request.user, path: request.path};
    }
}

class LogFile {
    constructor(number) {
        this.name = `access.${number}.log`;
        this.lines = [];
    }
}

class RotatingLog {
    constructor() {
        this.rotations = 0;
        this.current = new LogFile(0);
        this.older = [];
    }

    write(line) {
        this.current.lines.push(line);
        if (this.current.lines.length >= LINES)
            this.rotate();
    }

    rotate() {
        this.older.unshift(this.current);
        this.older.length = Math.min(this.older.length, KEPT);
        this.current = new LogFile(++this.rotations);
    }
}

const log = new RotatingLog();

function handle(request) {
    const status = request.number % 17 ? 200 : 404;
    log.write(new LogLine(request, status));
    return {status};
}

steps({handle});
