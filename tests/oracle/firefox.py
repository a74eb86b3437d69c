# SPDX-License-Identifier: MIT
"""A headless Firefox that answers questions about heap snapshots.

Firefox is driven over Marionette, its own remote protocol: lines of `<length>:<JSON>` on a loopback port. Every run has
a fresh profile and home in a temporary folder, and no network: each connection goes to a proxy port that nobody listens
on, loopback apart.
"""
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import tempfile
import time

START_SECONDS = 500
SCRIPT_SECONDS = 1200

CLOSED = "http://127.0.0.1:9/"
PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.discovery.enabled": False,
    "browser.newtabpage.activity-stream.feeds.system.topstories": False,
    "browser.newtabpage.enabled": False,
    "browser.region.network.url": "",
    "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.search.update": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.topsites.contile.enabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "devtools.memory.enabled": True,
    "dom.ipc.processPrelaunch.enabled": False,
    "dom.max_chrome_script_run_time": 0,
    "dom.max_script_run_time": 0,
    "dom.push.enabled": False,
    "extensions.blocklist.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.update.enabled": False,
    "geo.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.speculative-parallel-limit": 0,
    "network.prefetch-next": False,
    "network.proxy.allow_hijacking_localhost": False,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1",
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.type": 1,
    "network.trr.mode": 5,
    "services.settings.server": CLOSED,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.server": "",
    "toolkit.telemetry.unified": False,
}
DEBUGGER_PREFERENCES = {
    "devtools.chrome.enabled": True,
    "devtools.debugger.prompt-connection": False,
    "devtools.debugger.remote-enabled": True,
}


class FirefoxError(Exception):
    """Firefox did not start, went away, or a script of ours threw."""


class Marionette:
    """One connection; commands are answered in order."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SCRIPT_SECONDS)
        self.pending = b""
        self.last_id = 0
        self.receive()  # the greeting

    def receive(self):
        while b":" not in self.pending:
            self.receive_more()
        length, _, self.pending = self.pending.partition(b":")
        while len(self.pending) < int(length):
            self.receive_more()
        message, self.pending = self.pending[:int(length)], self.pending[int(length):]
        return json.loads(message)

    def receive_more(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise FirefoxError("Firefox closed the connection")
        self.pending += piece

    def command(self, name, parameters=None):
        self.last_id += 1
        message = json.dumps([0, self.last_id, name, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, answer_id, error, result = self.receive()
        if answer_id != self.last_id or error:
            raise FirefoxError(f"{name}: {error}")
        return result


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lift_memory_limit():
    """Firefox reserves more address space than tests may use."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def find_firefox():
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A running Firefox. A context manager: everything is gone afterwards. `debugger_port`: lets debuggers attach there."""

    def __init__(self, debugger_port=None):
        self.debugger_port = debugger_port
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ubiheap-firefox-"))
        self.process = None
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self):
        port = free_port()
        for name in ("profile", "home", "tmp"):
            (self.folder / name).mkdir(mode=0o700)
        preferences = {**PREFERENCES, "marionette.port": port}
        serving = []
        if self.debugger_port:
            preferences.update(DEBUGGER_PREFERENCES)
            serving = ["--start-debugger-server", str(self.debugger_port)]
        (self.folder / "profile" / "user.js").write_text(
            "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in preferences.items()))
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")}
        environment.update(HOME=str(self.folder / "home"), TMPDIR=str(self.folder / "tmp"),
                           XDG_RUNTIME_DIR=str(self.folder / "tmp"), MOZ_HEADLESS="1", MOZ_CRASHREPORTER_DISABLE="1",
                           MOZ_DISABLE_CONTENT_SANDBOX="1")
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [find_firefox(), "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", *serving,
                 "--profile", str(self.folder / "profile"), "about:blank"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=lift_memory_limit)
        self.marionette = self.connect(port)
        self.marionette.command("WebDriver:NewSession")
        self.marionette.command("WebDriver:SetTimeouts", {"script": SCRIPT_SECONDS * 1000})
        self.marionette.command("Marionette:SetContext", {"value": "chrome"})

    def connect(self, port):
        for _ in range(START_SECONDS * 5):
            if self.process.poll() is not None:
                break
            try:
                return Marionette(port)
            except OSError:
                time.sleep(0.2)
        raise FirefoxError("Firefox did not start:\n" + (self.folder / "log").read_text(errors="replace")[-2000:])

    def run(self, script, *arguments):
        """Runs a script in Firefox's parent process, as chrome code. It calls its last argument with the result."""
        result = self.marionette.command("WebDriver:ExecuteAsyncScript",
                                         {"script": script, "args": list(arguments), "sandbox": "system"})
        return result["value"]

    def close(self):
        if self.process and self.process.poll() is None:
            try:
                self.marionette.command("Marionette:Quit", {"flags": ["eForceQuit"]})
                self.process.wait(30)
            except (AttributeError, FirefoxError, OSError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
