// SPDX-License-Identifier: MIT
//
// A ticket desk in small: orders come in and are paid a little later. While an order is open, its prices follow a board.
//
//     ubiheap run --listen 6080 examples/quickjs/ticket-desk.js [ORDERS]
//
// With a number it ends after that number of orders. Its memory grows, and docs/tutorial/debug-a-program-from-firefox.md finds out why.

class PriceBoard {
    listeners = new Set();

    on(listener) {
        this.listeners.add(listener);
    }

    off(listener) {
        this.listeners.delete(listener);
    }

    change(percent) {
        for (const listener of this.listeners) listener(percent);
    }
}

const board = globalThis.board = new PriceBoard();
const open = new Set();
let sold = 0;

class Order {
    constructor(number) {
        this.number = number;
        this.seats = Array.from({ length: 4 }, (_, seat) => ({ row: number % 40, seat, price: 20 }));
        board.on(this.reprice.bind(this));
        open.add(this);
    }

    reprice(percent) {
        for (const seat of this.seats) seat.price *= 1 + percent / 100;
    }

    pay() {
        board.off(this.reprice.bind(this));
        open.delete(this);
        sold += this.seats.length;
    }
}

const most = Number(scriptArgs[1] ?? Infinity);
globalThis.orders = 0;
const ordering = setInterval(() => {
    const order = new Order(++orders);
    setTimeout(() => order.pay(), 30);
    if (orders === most) stop();
}, 5);
const changing = setInterval(() => board.change(orders % 2 ? 1 : -1), 200);

function stop() {
    clearInterval(ordering);
    clearInterval(changing);
    setTimeout(() => console.log(`${orders} orders, ${sold} seats sold, ${open.size} orders open`), 100);
}
