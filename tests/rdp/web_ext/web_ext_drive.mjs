// SPDX-License-Identifier: MIT
//
// web_ext_drive.mjs PORT: connects web-ext's client of Firefox to a server, asks what it asks before it installs an add-on, and prints what it
// saw as JSON. Run it where web-ext is installed.
import { pathToFileURL } from "node:url";

const { connect } = await import(pathToFileURL("node_modules/web-ext/lib/firefox/remote.js"));
const firefox = await connect(Number(process.argv[2]));

async function refusal(asked) {
    return asked.then(() => null, error => `${error.name}: ${error.message}`);
}

const { tabs } = await firefox.client.request("listTabs");
console.log(JSON.stringify({
    titles: tabs.map(tab => tab.title),
    noAddons: await refusal(firefox.getAddonsActor()),
    notInstalled: await refusal(firefox.getInstalledAddon("some@add.on")),
    unknown: await firefox.client.request({ to: "root", type: "nothing" }).catch(error => error.error),
}));
firefox.disconnect();
