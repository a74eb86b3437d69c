/* SPDX-License-Identifier: MIT
 *
 * Behind attach_toolbox.js: uses the Console panel: messages of the program, values, an object that is opened, an error.
 */
/* global openDebugging, openTool, seen, done */

function messagesOf(hud) {
    return [...hud.ui.outputNode.querySelectorAll(".message")];
}

/* The result of a text that is typed: the message of it, when there is one more. */
async function evaluate(hud, text) {
    const n = messagesOf(hud).filter(message => message.matches(".result, .error")).length;
    hud.ui.wrapper.dispatchEvaluateExpression(text);
    return seen(() => messagesOf(hud).filter(message => message.matches(".result, .error"))[n]);
}

function nodesOf(message) {
    return [...message.querySelectorAll(".tree-node")];
}

/* The texts of an object's nodes, when one says `text`. */
function nodesWith(message, text) {
    return seen(() => {
        const nodes = nodesOf(message).map(node => node.textContent);
        return nodes.some(node => node.includes(text)) && nodes;
    });
}

async function openObject(message, text) {
    (await seen(() => message.querySelector(".tree-node .arrow, .tree-node .theme-twisty"))).click();
    return nodesWith(message, text);
}

/* The text of the program's message of a level; what was typed is a message, too. */
async function messageWith(hud, level, text) {
    const find = () => messagesOf(hud).find(message => message.matches(`.${level}`) && message.textContent.includes(text));
    return (await seen(find)).textContent;
}

/* The texts of what console methods show, without what was typed. */
async function callMethods(hud) {
    await evaluate(hud, `console.table([{ a: 1, b: "x" }, { a: 2, b: "y" }]); console.group("the group", 1);
        console.log("%cred %s", "color: red", "text"); console.groupEnd(); console.assert(false, "wrong");
        (function traced() { console.trace("here"); })(); console.count("c"); console.countReset("none");
        console.time("t"); console.timeEnd("t"); console.timeEnd("t"); console.log("the end")`);
    await messageWith(hud, "log.console-api", "the end");
    await messageWith(hud, "trace", "traced"); /* frames come later */
    return messagesOf(hud).filter(message => message.matches(".console-api")).map(message => ({
        kinds: message.className, text: message.textContent.replaceAll("\u00a0", " "),
    }));
}

/* The labels of what is proposed for a text. */
async function proposed(hud, text) {
    const { jsterm } = hud;
    jsterm.focus();
    jsterm.editor.setText(text);
    jsterm.editor.setCursor({ line: 0, ch: text.length });
    jsterm.props.autocompleteUpdate(true);
    await seen(() => jsterm.autocompletePopup.isOpen);
    return jsterm.autocompletePopup.getItems().map(item => item.label);
}

async function drive() {
    const { inspect } = await openDebugging();
    inspect();
    const { hud } = await openTool("webconsole");
    const result = { before: await messageWith(hud, "log", "before") };
    result.sum = (await evaluate(hud, "6 * 7")).textContent;
    const object = await evaluate(hud, "globalThis.shown = { first: 1, second: [1, 2] }");
    result.object = object.textContent;
    result.nodes = await openObject(object, "<prototype>");
    const map = await evaluate(hud, "new Map([['a', 1], [{ x: 1 }, new Set('bc')]])");
    result.map = map.textContent;
    await openObject(map, "<entries>");
    nodesOf(map).find(node => node.textContent.includes("<entries>")).querySelector(".theme-twisty, .arrow").click();
    result.entries = await nodesWith(map, "0: a");
    const getter = await evaluate(hud, "({ get g() { return 7 * 7; } })");
    await openObject(getter, "<prototype>");
    (await seen(() => getter.querySelector(".invoke-getter"))).click();
    result.got = await nodesWith(getter, "49");
    await openObject(await evaluate(hud, "Promise.resolve([1])"), "<state>");
    await openObject(await evaluate(hud, "new Proxy({}, { has() {} })"), "<handler>");
    result.others = [];
    for (const text of ["Promise.resolve({ deep: 1 })", "new Proxy({}, {})", "new Float64Array(3)", "new ArrayBuffer(8)",
                        "(function f(a, b, ...c) {})", "new WeakSet([globalThis])", "[1, , 3]", "new String('abc')"])
        result.others.push((await evaluate(hud, text)).textContent);
    result.methods = await callMethods(hud);
    result.proposed = await proposed(hud, "shown.");
    result.error = (await evaluate(hud, "nowhere.to.be.found")).textContent;
    await evaluate(hud, "console.warn('said', shown)");
    result.warning = await messageWith(hud, "warn", "said");
    return result;
}

drive().then(done, error => done({ error: `${error}\n${error.stack}` }));
