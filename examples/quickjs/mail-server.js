// SPDX-License-Identifier: MIT
//
// mail-server.js: a mail server in small, which forgets to forget.
//
//   ubiheap run --heap-module --sites examples/quickjs/mail-server.js OUT
//   ubiheap leaks OUT/1.fxsnapshot OUT/2.fxsnapshot
//
// Every delivery makes a connection, which asks the spam filter to be told of new rules. A connection that ends takes
// itself out of the table of open connections, but never out of the filter's list of listeners.
//
// It serves in rounds and takes a snapshot of itself after each, in the folder OUT. Without --heap-module, `kill -USR2`
// from another terminal does the same for any program.
import * as os from "os";
import { saveHeapSnapshot } from "ubiheap";

class SpamFilter {
    constructor() {
        this.rules = new Set(["lottery", "casino"]);
        this.listeners = [];
    }
    onRulesChanged(listener) {
        this.listeners.push(listener);
    }
    accepts(message) {
        return !message.words.some((word) => this.rules.has(word));
    }
}

class Message {
    constructor(number) {
        this.number = number;
        this.words = ["hello", "world", `number ${number}`];
    }
}

class Connection {
    constructor(server, peer) {
        this.peer = peer;
        this.buffer = new Uint8Array(512);
        this.log = [];
        server.filter.onRulesChanged(() => this.log.push("rules changed"));
    }
    deliver(message, filter) {
        this.log.push(filter.accepts(message) ? "accepted" : "refused");
    }
}

class Server {
    constructor() {
        this.filter = new SpamFilter();
        this.open = new Map();
        this.delivered = 0;
    }
    serve(number) {
        const peer = `10.0.${number >> 8}.${number & 255}`;
        const connection = new Connection(this, peer);
        this.open.set(peer, connection);
        connection.deliver(new Message(number), this.filter);
        this.open.delete(peer); // closed; but who else knows it?
        this.delivered++;
    }
}

const [, out = "."] = scriptArgs;
const ROUND = 200;
globalThis.server = new Server();

function round(number) {
    for (let i = 0; i < ROUND; i++) server.serve(server.delivered);
    console.log(`${server.delivered} messages delivered, ${server.open.size} connections open`);
    saveHeapSnapshot({ runtime: true }, `${out}/${number}.fxsnapshot`);
    if (number < 3) setTimeout(round, 0, number + 1);
}
os.mkdir(out);
round(1);
