// SPDX-License-Identifier: MIT
//
// in_page.js: what measure.mjs puts into each page before anything else runs there: when something was shown, what answers brought, how
// long drawing took. A time is that of the frame in which the thing is there, as people see it.

{
    /** What a view is shown by, once it has all that it begins with. */
    const SHOWN = {
        start: ".headline", census: ".tree-row:not(.pending)", "tree-map": ".tree-map canvas", dominators: ".tree-row:not(.pending)",
        object: ".object-head", individuals: ".tree-row:not(.pending)", diff: ".tree-row:not(.pending)",
    };
    const ARRIVED = /^(census-state-saved|dominator-tree-state-loaded|diffing-state-took-diff|individuals-state-fetched|tree-map-state-saved)$/;

    const bench = {
        /** When the first view was shown, in milliseconds since the page was asked for. */
        firstViewMs: null,
        /** How often the main panel came into a state in which all is there. */
        arrivals: 0,
        /** What answers brought: see countAnswers(). */
        answers: [],
        /** Milliseconds of each drawing of a canvas. */
        drawings: [],
    };
    window.bench = bench;

    bench.frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));

    bench.until = async (look) => {
        for (;;) {
            const now = await bench.frame();
            if (look()) {
                return now;
            }
        }
    };

    /** Milliseconds from an action to the frame in which `look` is true. */
    bench.timed = async (act, look) => {
        const began = performance.now();
        act();
        return (await bench.until(look)) - began;
    };

    /** The same, to the frame in which the panel has what the action asked for. */
    bench.timedArrival = (act) => {
        const before = bench.arrivals;
        return bench.timed(act, () => bench.arrivals > before && !document.querySelector(".tree-row.pending"));
    };

    const viewOf = () => /^#\/([a-z-]+)/.exec(location.hash)?.[1] ?? "start";

    bench.isShown = () => {
        const element = document.querySelector(`main ${SHOWN[viewOf()]}`);
        return element !== null && (element.tagName !== "CANVAS" || bench.drawings.length > 0);
    };
    void bench.until(bench.isShown).then((now) => (bench.firstViewMs = now));

    new MutationObserver((changes) => {
        for (const { target } of changes) {
            bench.arrivals += target.tagName === "MAIN" && ARRIVED.test(target.dataset.state) ? 1 : 0;
        }
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-state"] });

    // A drawing begins with a picture for the whole canvas and ends when that was put there; a pixel that is read makes the browser draw at once.
    let began = 0;
    window.ImageData = new Proxy(ImageData, {
        construct(target, size) {
            began = performance.now();
            return new target(...size);
        },
    });
    const put = CanvasRenderingContext2D.prototype.putImageData;
    CanvasRenderingContext2D.prototype.putImageData = function (...picture) {
        put.apply(this, picture);
        this.getImageData(0, 0, 1, 1);
        bench.drawings.push(performance.now() - began);
    };

    const rowsIn = (document) => {
        let count = 0;
        for (const stack = [document]; stack.length > 0; ) {
            const value = stack.pop();
            if (Array.isArray(value)) {
                count += value.filter((one) => typeof one === "object" && one !== null).length;
            }
            stack.push(...Object.values(value).filter((one) => typeof one === "object" && one !== null));
        }
        return count;
    };

    /** From now on notes the rows, which are objects and lists in lists, and the bytes of every answer about a heap. */
    bench.countAnswers = () => {
        const plain = window.fetch;
        window.fetch = async (...request) => {
            const response = await plain(...request);
            const path = new URL(response.url).pathname;
            if (/\/(heaps\/h\d+\/|jobs\/)/.test(path) && response.headers.get("Content-Type")?.startsWith("application/json")) {
                const text = await response.clone().text();
                bench.answers.push({ path, bytes: text.length, rows: rowsIn(JSON.parse(text)) });
            }
            return response;
        };
    };

    /** Scrolls a table for some frames; the times of the frames, and how many rows it went through. */
    bench.scroll = async (frames, pixels) => {
        const table = document.querySelector(".tree-table");
        const times = [];
        for (let at = 0; at < frames; at++) {
            times.push(await bench.frame());
            table.scrollTop += pixels;
        }
        return times;
    };

    const rowAt = (index) => document.querySelector(`.tree-row[aria-rowindex="${index}"]`);

    /** Opens the first row of the window, from a row on, that can be opened; null: there is none. */
    bench.expand = (skip) => {
        const row = [...document.querySelectorAll('.tree-row[aria-expanded="false"]')][skip];
        const arrow = row?.querySelector(".tree-arrow");
        if (!arrow) {
            return null;
        }
        const [index, level] = [Number(row.ariaRowIndex), Number(row.ariaLevel)];
        const isOpen = () => {
            const next = rowAt(index + 1);
            return next !== null && Number(next.ariaLevel) === level + 1 && !next.matches(".pending, :has(.spinner)");
        };
        return bench.timed(() => arrow.click(), isOpen);
    };

    /** Sorts by a column of this title; null: nothing is left by the filter. */
    bench.sort = (title) => {
        const head = [...document.querySelectorAll("[role=columnheader] button")].find((one) => one.textContent.startsWith(title));
        return head ? bench.timedArrival(() => head.click()) : null;
    };

    const typed = (element, value) => {
        const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value");
        set.call(element, value);
        element.dispatchEvent(new Event(element.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
    };
    bench.filter = (text) => bench.timedArrival(() => typed(document.querySelector("#filter"), text));
    bench.choose = (list, value) => bench.timedArrival(() => typed(document.querySelector(list), value));

    /** Jumps to a part of a long table. */
    bench.jump = (part) => {
        const table = document.querySelector(".tree-table");
        const first = () => document.querySelector(".tree-row")?.ariaRowIndex;
        const before = first();
        const isThere = () => first() !== before && !document.querySelector(".tree-row.pending");
        return bench.timed(() => (table.scrollTop = part * (table.scrollHeight - table.clientHeight)), isThere);
    };
}
