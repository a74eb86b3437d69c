// SPDX-License-Identifier: MIT
//
// mail-server.js: a small mail server that forgets to forget, in the JavaScript of 2022.
//
//   ubiheap run --heap-module --sites examples/quickjs/mail-server.js OUT
//   ubiheap leaks OUT/1.fxsnapshot OUT/2.fxsnapshot OUT/3.fxsnapshot
//
// Every delivery makes a connection, which asks the spam filter to be told of new rules. A connection that ends takes
// itself out of the table of open connections, but never out of the filter's list of listeners.
//
// It serves in rounds, takes a snapshot of itself after each, in the folder OUT, and looks with a WeakRef whether the last
// connection is gone. Without --heap-module, `kill -USR2` from another terminal does the same for any program.
import * as os from "os";
import { saveHeapSnapshot } from "ubiheap";

class SpamFilter {
    static rules;
    static {
        this.rules = new Set(["lottery", "casino"]);
    }

    listeners = [];

    onRulesChanged(listener) {
        this.listeners.push(listener);
    }
    check(message) {
        const found = message.words.filter((word) => SpamFilter.rules.has(word));
        if (found.length > 0) throw new Error("refused", { cause: found.at(-1) });
    }
}

class Message {
    constructor(number) {
        this.words = ["hello", "world", number % 50 === 49 ? "casino" : `number ${number}`];
    }
}

class Connection {
    #log = [];
    buffer = new Uint8Array(512);

    constructor(server, peer) {
        this.peer = peer;
        server.filter.onRulesChanged(() => this.#log.push("rules changed"));
    }
    deliver(message, filter) {
        try {
            filter.check(message);
            return true;
        } catch ({ message, cause }) {
            this.#log.push(`${message}: ${cause}`);
            return false;
        }
    }
}

class Server {
    filter = new SpamFilter();
    open = new Map();
    delivered = 0;
    refused = 0;

    serve(number) {
        const peer = `10.0.${number >> 8}.${number & 255}`;
        const connection = new Connection(this, peer);
        this.open.set(peer, connection);
        if (connection.deliver(new Message(number), this.filter)) this.delivered++;
        else this.refused++;
        this.open.delete(peer); // closed; but who else knows it?
        return new WeakRef(connection);
    }
}

const [, out = "."] = scriptArgs;
const ROUNDS = 3, EACH = 200;
const server = (globalThis.server = new Server());
os.mkdir(out);

for (let round = 1; round <= ROUNDS; round++) {
    let last;
    for (let i = 0; i < EACH; i++) last = server.serve(server.delivered + server.refused);
    await new Promise((resolve) => setTimeout(resolve));
    const fate = last.deref() ? "still in memory" : "gone";
    console.log(`${server.delivered} delivered, ${server.refused} refused, ${server.open.size} open; the last connection is ${fate}`);
    saveHeapSnapshot({ runtime: true }, `${out}/${round}.fxsnapshot`);
}
