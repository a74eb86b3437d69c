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

/* The texts of an object's nodes, when one says `text`. */
async function openObject(message, text) {
    (await seen(() => message.querySelector(".tree-node .arrow, .tree-node .theme-twisty"))).click();
    return seen(() => {
        const nodes = [...message.querySelectorAll(".tree-node")].map(node => node.textContent);
        return nodes.some(node => node.includes(text)) && nodes;
    });
}

/* The text of the program's message of a level; what was typed is a message, too. */
async function messageWith(hud, level, text) {
    const find = () => messagesOf(hud).find(message => message.matches(`.${level}`) && message.textContent.includes(text));
    return (await seen(find)).textContent;
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
    result.error = (await evaluate(hud, "nowhere.to.be.found")).textContent;
    await evaluate(hud, "console.warn('said', shown)");
    result.warning = await messageWith(hud, "warn", "said");
    return result;
}

drive().then(done, error => done({ error: `${error}\n${error.stack}` }));
