// SPDX-License-Identifier: MIT
//
// firefox_client_drive.cjs PORT: measures the memory of a server's first tab with firefox-client, as its README does, and prints it as JSON.
const FirefoxClient = require("@cliqz-oss/firefox-client");

const client = new FirefoxClient();

function check(error) {
    if (!error)
        return;
    console.error(error.stack);
    process.exit(1);
}

client.connect(Number(process.argv[2]), "127.0.0.1", () => {
    client.listTabs((noTabs, tabs) => {
        check(noTabs);
        tabs[0].Memory.measure((noMemory, sizes) => {
            check(noMemory);
            console.log(JSON.stringify({ url: tabs[0].url, title: tabs[0].title, sizes }));
            client.disconnect();
        });
    });
});
client.on("error", check);
