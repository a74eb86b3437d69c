// SPDX-License-Identifier: MIT
//
// client.mjs UBIHEAP FILE FILE ROOT: what an agent's program does with the official client. Prints what it saw, as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [, , command, older, newer, root] = process.argv;
const seen = { progress: [], errors: [] };
const transport = new StdioClientTransport({ command, args: ['mcp', older, newer, '--root', root], stderr: 'inherit' });
const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: {} });
client.onerror = (error) => seen.errors.push(String(error));

const text = (result) => result.content[0].text;
const call = (name, args = {}, options = undefined) => client.callTool({ name, arguments: args }, undefined, options);

await client.connect(transport);
seen.server = client.getServerVersion();
seen.instructions = client.getInstructions();
seen.capabilities = client.getServerCapabilities();
await client.ping();
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
seen.leaks = text(await call('leaks', {}, { onprogress: (progress) => seen.progress.push(progress) }));
const [, tool, args] = seen.leaks.match(/\nnext: (\w+) (\{.*\})$/);
seen.next = text(await call(tool, JSON.parse(args)));
seen.together = (await Promise.all([1, 2, 3, 4].map((i) => call('ask', { question: 'summary', cursor: i })))).map(text);
const wrong = await call('report', { heap: 'h9' });
seen.wrong = { isError: wrong.isError, text: text(wrong) };
try {
    await client.request({ method: 'no/such' }, { parse: (x) => x });
} catch (error) {
    seen.unknownMethod = error.code;
}
seen.resources = (await client.listResources()).resources.map((resource) => resource.uri);
seen.resource = (await client.readResource({ uri: 'ubiheap://h2' })).contents[0].text;

const abort = new AbortController();
const cancelled = call('ask', { question: 'strings', heap: 'h1', parameters: { limit: 0 } }, { signal: abort.signal });
abort.abort('not wanted');
seen.cancelled = await cancelled.then(() => 'answered', () => 'cancelled');
seen.after = text(await call('heaps'));
await client.close();
console.log(JSON.stringify(seen));
