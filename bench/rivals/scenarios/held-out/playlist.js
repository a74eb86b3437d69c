// SPDX-License-Identifier: MIT
//
// Does not leak. A queue of tracks grows while listeners add to it and shrinks while they play; its length swings between a few and
// four hundred, and a history keeps the last fifty.
'use strict';
const {steps} = require('../steps.js');

const MOST = 400, FEW = 40, HISTORY = 50;

class Track {
    constructor(number, title) {
        this.number = number;
        this.title = title;
        this.votes = [];
    }
}

class Playlist {
    constructor() {
        this.tracks = [];
        this.history = [];
        this.filling = true;
    }

    add(track) {
        this.tracks.push(track);
    }

    play() {
        const track = this.tracks.shift();
        this.history.push(track);
        if (this.history.length > HISTORY)
            this.history.shift();
        return track;
    }

    turn(request) {
        for (const line of request.body.lines)
            if (this.filling)
                this.add(new Track(request.number, `${line.sku} for ${request.user}`));
            else if (this.tracks.length)
                this.play();
        if (this.tracks.length >= MOST)
            this.filling = false;
        else if (this.tracks.length <= FEW)
            this.filling = true;
    }
}

const playlist = new Playlist();

function handle(request) {
    playlist.turn(request);
    return {waiting: playlist.tracks.length};
}

steps({handle});
