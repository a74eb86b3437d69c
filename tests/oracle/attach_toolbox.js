/* SPDX-License-Identifier: MIT
 *
 * Begins the scripts that use panels of the toolbox: connects about:debugging to a server, and inspects its first tab. Runs in Firefox's
 * parent process. arguments: port, callback, which gets what was seen, or {error}.
 */
/* global ChromeUtils, Services */
const [port, done] = arguments;

function pause(milliseconds) {
    return new Promise(resolve => window.setTimeout(resolve, milliseconds));
}

/* The first value of `look` that is one. */
async function seen(look) {
    for (;;) {
        const found = look();
        if (found)
            return found;
        await pause(50);
    }
}

const window = Services.wm.getMostRecentWindow("navigator:browser");

/* The text of the page that lists what can be inspected, with its warnings. */
async function openDebugging() {
    Services.prefs.setStringPref("devtools.aboutdebugging.network-locations", JSON.stringify([`127.0.0.1:${port}`]));
    window.gBrowser.selectedTab = window.gBrowser.addTab("about:debugging#/setup", {
        triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal(),
    });
    const browser = window.gBrowser.selectedBrowser;
    const find = selector => browser.contentDocument?.querySelector(selector);
    (await seen(() => find(".qa-connect-button"))).click();
    const item = await seen(() => find(".qa-debug-target-item"));
    await seen(() => find(".qa-runtime-name"));
    return { name: find(".qa-runtime-name").textContent, item: item.textContent,
             warnings: [...browser.contentDocument.querySelectorAll(".message--level-warning, .message--level-error")].map(one => one.textContent),
             inspect: () => find(".qa-debug-target-inspect-button").click() };
}

/* The toolbox that is open; undefined: none yet. */
function toolboxOf() {
    const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
    const { gDevTools } = require("devtools/client/framework/devtools");
    return gDevTools.getToolboxes()[0];
}

async function openTool(name) {
    const toolbox = await seen(toolboxOf);
    await (toolbox.isReady || new Promise(resolve => toolbox.once("ready", resolve)));
    return toolbox.selectTool(name);
}
