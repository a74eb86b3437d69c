// SPDX-License-Identifier: MIT
//
// Leaks. A store whose state is never changed but replaced: each action makes a new list of all notices that there ever
// were, and a new state with it. So whoever holds a notice is always younger than the notice.
'use strict';
const {steps} = require('../steps.js');

const reducers = {
    notice: (state, {text, number}) => ({...state, notices: [...state.notices, {text, number, read: false}]}),
    read: (state, {number}) => ({
        ...state,
        notices: state.notices.map(notice => notice.number === number ? {...notice, read: true} : notice),
    }),
    seen: (state, {path}) => ({...state, seen: path}),
};

class Store {
    constructor(state) {
        this.state = state;
        this.subscribers = [state => {
            this.count = state.notices.length;
        }];
    }

    dispatch(type, action) {
        this.state = reducers[type](this.state, action);
        for (const subscriber of this.subscribers)
            subscriber(this.state);
    }
}

const store = new Store({notices: [], seen: null});

function handle(request) {
    store.dispatch('seen', {path: request.path});
    store.dispatch('notice', {text: request.body.note, number: request.number});
    if (request.number % 3 === 0)
        store.dispatch('read', {number: request.number - 1});
    return {notices: store.count};
}

steps({handle});
