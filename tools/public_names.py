#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the lists of names that an anonymized snapshot keeps: what every JavaScript program has.

    python3 tools/public_names.py

asks Firefox (firefox-esr or firefox on PATH, started headless with a fresh profile) for the names of the language's
library and of the web's interfaces, and rewrites public_names_javascript.c and public_names_web.c in
src/analyses/anonymize/. Run it for a new Firefox; read the diff: a common word more is a word more that anonymizing keeps.
"""
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "src" / "analyses" / "anonymize"
WIDTH = 112

LANGUAGE = """Object Function Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError
TypeError URIError InternalError SuppressedError Number BigInt Math Date String RegExp Array Int8Array Uint8Array
Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array
BigUint64Array Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer DataView Atomics JSON WeakRef
FinalizationRegistry Iterator Promise Reflect Proxy Intl Temporal WebAssembly
DisposableStack AsyncDisposableStack""".split()

# Interfaces whose properties nearly every page's heap holds; of the others only the names are kept.
COMMON = """EventTarget Node Element HTMLElement Document DocumentFragment ShadowRoot CharacterData Text Attr Event
UIEvent CustomEvent Location History Navigator Screen Storage NodeList HTMLCollection DOMTokenList NamedNodeMap
CSSStyleSheet HTMLInputElement HTMLFormElement HTMLAnchorElement HTMLImageElement HTMLScriptElement HTMLIFrameElement
HTMLCanvasElement HTMLMediaElement XMLHttpRequest Worker MessagePort MessageChannel MessageEvent WebSocket
AbortController AbortSignal Blob File FileReader FormData Headers Request Response URL URLSearchParams Range Selection
MutationObserver IntersectionObserver ResizeObserver Performance ReadableStream WritableStream""".split()

PAGE = """<script>
const LANGUAGE = %s, COMMON = %s;
const own = o => { try { return Reflect.ownKeys(o).filter(k => typeof k == "string") } catch { return [] } };
const read = (o, k) => { try { return Object.getOwnPropertyDescriptor(o, k)?.value } catch { return undefined } };
function add(set, o, depth) {
    if (o === null || (typeof o != "object" && typeof o != "function")) return;
    for (const k of own(o)) { set.add(k); if (depth > 0) add(set, read(o, k), depth - 1); }
}
const language = new Set, interfaces = new Set, members = new Set;
for (const name of LANGUAGE) if (name in window) { language.add(name); add(language, window[name], 2); }
const samples = [function*(){}, async function*(){}, async () => {}, [].values(), new Map().entries(),
    new Set().values(), "".matchAll(/a/g), ""[Symbol.iterator](), (function*(){})(), (async function*(){})(),
    (function(){ return arguments })()];
for (const sample of samples) for (let o = sample; o; o = Object.getPrototypeOf(o)) add(language, o, 0);
for (const name of own(window)) (/^[A-Z]/.test(name) ? interfaces : members).add(name);
for (const name of COMMON) { add(members, window[name], 0); add(members, window[name]?.prototype, 0); }
for (const o of [document, location, console]) add(members, o, 0);
const out = { language: [...language], interfaces: [...interfaces], members: [...members] };
fetch("/names", { method: "POST", body: JSON.stringify(out) });
</script>"""


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = None
        self.done = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((PAGE % (json.dumps(LANGUAGE), json.dumps(COMMON))).encode())

    def do_POST(self):
        self.server.answer = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def log_message(self, *_):
        pass


def ask_firefox(firefox):
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="ubiheap-names-") as folder:
        url = f"http://127.0.0.1:{server.server_port}/"
        command = [firefox, "--headless", "--no-remote", "--profile", folder, "--screenshot", f"{folder}/page.png", url]
        subprocess.run(command, env={"HOME": folder, "PATH": "/usr/bin:/bin"}, capture_output=True, timeout=120)
        server.done.wait(10)
    server.shutdown()
    return server.answer


def escaped(name):
    """As it stands in a string literal of C."""
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("??", "?\\?")


def group(lists, names):
    """One entry of the table: names joined by |, cut into string literals."""
    lines, line = [], ""
    for name in map(escaped, sorted(names)):
        if len(line) + len(name) + 1 > WIDTH:
            lines.append(line)
            line = ""
        line += name + "|"
    lines.append(line.rstrip("|"))
    return f"    {{ {lists},\n" + "\n".join(f'      "{line}"' for line in lines) + " },\n"


def write(name, what, groups):
    (FOLDER / f"{name}.c").write_text(f"""/* SPDX-License-Identifier: MIT
 *
 * {name}.c: {what}, as Firefox lists them.
 *
 * Written by tools/public_names.py; do not edit.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_{name.removeprefix("public_names_")}[] = {{
{"".join(groups)}    {{ 0, NULL }},
}};
""")


def main():
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if not firefox:
        sys.exit("public_names.py: no Firefox on PATH")
    answer = ask_firefox(firefox)
    if not answer:
        sys.exit("public_names.py: Firefox gave no answer")
    plain = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
    sets = ({n for n in answer[key] if plain.fullmatch(n)} for key in ("language", "interfaces", "members"))
    language, interfaces, members = sets
    interfaces -= language
    classes = {n for n in language if n[0].isupper() and not n.isupper()}
    both = "UBI__NAMES_CLASS | UBI__NAMES_MEMBER"
    write("public_names_javascript", "the names of JavaScript's library",
          [group(both, classes), group("UBI__NAMES_MEMBER", language - classes)])
    write("public_names_web", "the names of the web's interfaces and of what the common ones have",
          [group(both, interfaces), group("UBI__NAMES_MEMBER", members - language - interfaces)])


if __name__ == "__main__":
    main()
