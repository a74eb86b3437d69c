#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real_programs.py [--build DIR] [--deps] [--only NAME,...] [--name NAME] [--page]

Large programs of Debian alone, under `ubiheap record` (exact and sampled, alone and with children) and under heaptrack: is their
output the same, their exit status, the signal that ends them? And how many allocations does each count?

--deps installs the packages (apt-get, as root). The result is bench/results/programs-NAME.json (default: latest), and with --page
docs/reference/recorded-programs.md is written from it. Servers listen on loopback and in folders of their own; nothing needs a
network. A program that is not installed is left out, and said.
"""
import argparse
import datetime
import hashlib
import json
import os
import platform
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = """openjdk-17-jdk-headless nodejs chromium firefox-esr redis-server nginx-light postgresql golang-go rustc libjemalloc-dev
 heaptrack gcc g++ perl python3 make""".split()
TIMEOUT_SECONDS = 100  # against hanging for ever; None: no limit
MODES = {"exact": ["--exact"], "sampled": [], "exact, children": ["--exact", "--follow-children"],
         "sampled, children": ["--follow-children"]}

JAVA = """import java.util.*;
public class Hello {
    public static void main(String[] a) throws Exception {
        Map<String, Integer> sums = new TreeMap<>();
        for (int i = 0; i < 100000; i++) sums.merge("k" + i % 7, i, Integer::sum);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < 8; i++) { threads[i] = new Thread(() -> { new ArrayList<>(List.of(1, 2, 3)); }); threads[i].start(); }
        for (Thread t : threads) t.join();
        System.out.println(sums);
        System.exit(5);
    }
}
"""
NODE = """const rows = Array.from({ length: 20000 }, (_, i) => ({ i, text: 'x'.repeat(i % 50) }));
console.log(JSON.parse(JSON.stringify(rows)).reduce((n, r) => n + r.text.length, 0));
setTimeout(() => process.exit(7), 10);
"""
GO = """package main
import ("fmt"; "net"; "os"; "sync")
func main() {
    var wg sync.WaitGroup
    sums := make([]int, 8)
    for i := range sums { wg.Add(1); go func(i int) { defer wg.Done(); m := map[int]string{}
        for j := 0; j < 10000; j++ { m[j] = fmt.Sprint(j) }; sums[i] = len(m) }(i) }
    wg.Wait()
    _, err := net.LookupHost("localhost")
    fmt.Println(sums, err)
    os.Exit(4)
}
"""
RUST = """use std::collections::HashMap;
fn main() {
    let threads: Vec<_> = (0..8).map(|t| std::thread::spawn(move || {
        let m: HashMap<u32, String> = (0..5000).map(|i| (i, format!("{}", i * t))).collect();
        m.values().map(|s| s.len()).sum::<usize>()
    })).collect();
    println!("{:?}", threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>());
    std::process::exit(6);
}
"""
JEMALLOC = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *payload) {
    size_t sum = 0;
    for (size_t i = 1; i < 20000; i++) { char *p = malloc(i % 900 + 1); memset(p, 1, i % 900 + 1); sum += p[i % 900]; free(p); }
    *(size_t *)payload = sum;
    return NULL;
}
int main(void) {
    pthread_t threads[8];
    size_t sums[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, &sums[i]);
    fflush(stdout);
    pid_t child = fork(); /* while the threads are at work */
    int status = 0;
    if (child == 0) { work(&sums[0]); _exit(sums[0] % 251); }
    waitpid(child, &status, 0);
    printf("%d ", WEXITSTATUS(status));
    for (int i = 0; i < 8; i++) { pthread_join(threads[i], NULL); printf("%zu ", sums[i]); }
    puts("");
    return 9;
}
"""
PYTHON = """import collections, json, subprocess, threading
out = []
def work(n): out.append(len(json.dumps([{str(i): [i] * n} for i in range(3000)])))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(out), subprocess.run(["sh", "-c", "echo child; exit 3"], capture_output=True))
"""


class Place:
    """A fresh folder, and where a run of a program goes."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ubi-programs-")).resolve()
        self.folder.chmod(0o777)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o644)
        return path


def give_up(process):
    """With all that it has started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return "hangs", b"", b""


def ends(process):
    try:
        out, error = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return give_up(process)
    return process.returncode, out, error


def start(prefix, command, place, user=None):
    """Standard output of heaptrack is mixed with that of the program, so it is taken apart later."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(place.folder),
                   "PYTHONMALLOC": "malloc", "DBUS_SESSION_BUS_ADDRESS": "disabled:", "MOZ_DISABLE_AUTO_SAFE_MODE": "1"}
    more = {"user": user, "group": user, "extra_groups": []} if user else {}
    return subprocess.Popen([*prefix, *map(str, command)], cwd=place.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment, start_new_session=True, **more)


def once(command, user=None):
    """A program that runs to its end."""
    return lambda prefix, place: ends(start(prefix, command(place), place, user))


def wait_for(address):
    """Until somebody listens. False: nobody does."""
    family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    until = time.monotonic() + (TIMEOUT_SECONDS or float("inf"))
    while time.monotonic() < until:
        with socket.socket(family) as s:
            try:
                s.connect(address)
                return True
            except OSError:
                time.sleep(0.02)
    return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(address, text, end=None):
    family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    with socket.socket(family) as s:
        s.settimeout(TIMEOUT_SECONDS)
        s.connect(address)
        s.sendall(text)
        data = b""
        while (part := s.recv(65536)):
            data += part
            if end and end in data:
                break
        return data


def redis(prefix, place):
    path = str(place.folder / "redis.sock")
    process = start(prefix, ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--daemonize", "no", "--logfile",
                             place.folder / "redis.log"], place)
    if not wait_for(path):
        return give_up(process)
    lines = "".join(f"SET key:{i} {'v' * (i % 300)}\r\nAPPEND key:{i % 100} x\r\nLPUSH list {i}\r\n" for i in range(3000))
    answers = ask(path, (lines + "LRANGE list 0 20\r\nSTRLEN key:99\r\nECHO done\r\n").encode(), b"done\r\n")
    try:
        ask(path, b"SHUTDOWN NOSAVE\r\n")
    except OSError:
        pass
    status, out, error = ends(process)
    return status, out + answers, error


def nginx(prefix, place):
    port = free_port()
    place.write("page.html", "hello " * 5000)
    conf = place.write("nginx.conf", f"""daemon off; worker_processes 2; pid {place.folder}/pid; error_log {place.folder}/error.log;
user root; events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {place.folder}/a; proxy_temp_path {place.folder}/b; fastcgi_temp_path {place.folder}/c;
uwsgi_temp_path {place.folder}/d; scgi_temp_path {place.folder}/e;
server {{ listen 127.0.0.1:{port}; root {place.folder}; location / {{ gzip on; gzip_types text/html; gzip_min_length 1; }} }} }}
""")
    process = start(prefix, ["nginx", "-c", conf, "-e", place.folder / "early.log"], place)
    address = ("127.0.0.1", port)
    if not wait_for(address):
        return give_up(process)
    bodies = b""
    for _ in range(50):
        answer = ask(address, b"GET /page.html HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
        bodies += answer.partition(b"\r\n\r\n")[2]
    os.kill(int((place.folder / "pid").read_text()), signal.SIGQUIT)
    status, out, error = ends(process)
    return status, out + hashlib.sha256(bodies).hexdigest().encode(), error


def postgres_folder():
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def postgres(prefix, place):
    binaries, data = postgres_folder(), place.folder / "data"
    user = pwd.getpwnam("postgres").pw_uid if os.geteuid() == 0 else None
    made = ends(start([], [binaries / "initdb", "-D", data, "-A", "trust", "-U", "me", "--no-sync"], place, user))
    if made[0] != 0:
        raise RuntimeError(made[2].decode())
    process = start(prefix, [binaries / "postgres", "-D", data, "-h", "", "-k", place.folder, "-F", "-c", "logging_collector=off"],
                    place, user)
    if not wait_for(str(place.folder / ".s.PGSQL.5432")):
        return give_up(process)
    sql = ("CREATE TABLE t AS SELECT i, md5(i::text) AS h FROM generate_series(1, 20000) i; CREATE INDEX ON t (h);"
           "SELECT count(*), min(h), max(h) FROM t; SELECT sum(a.i) FROM t a JOIN t b USING (h);")
    for _ in range(200):  # it listens before it answers
        client = ends(start([], [binaries / "psql", "-h", place.folder, "-U", "me", "-d", "postgres", "-qAt", "-c", sql], place, user))
        if client[0] == 0 or b"starting up" not in client[2]:
            break
        time.sleep(0.05)
    os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGINT)
    status, out, error = ends(process)
    return status, out + client[1], error


def firefox(prefix, place):
    page = place.write("page.html", "<body style='background:#abc'><div id=x style='width:50px;height:50px;background:red'></div>"
                                    "<script>x.style.width = [1,2,3].reduce((a, b) => a + b * 10, 0) + 'px'</script>")
    profile = place.folder / "profile"
    profile.mkdir()
    status, _, error = ends(start(prefix, ["firefox-esr", "--headless", "--no-remote", "--profile", profile, "--screenshot",
                                           place.folder / "out.png", "--window-size=200,100", page.as_uri()], place))
    picture = place.folder / "out.png"
    return status, hashlib.sha256(picture.read_bytes()).hexdigest().encode() if picture.exists() else b"no picture", error


def built(name, text, command):
    """A program that is compiled first; the path of `out` takes the place of OUT, that of the source of SOURCE."""
    def run(prefix, place):
        source, out = place.write(name, text), place.folder / "program"
        subprocess.run([str({"OUT": out, "SOURCE": source}.get(c, c)) for c in command], check=True, cwd=place.folder,
                       stdout=subprocess.DEVNULL, env={**os.environ, "GOCACHE": str(place.folder / "cache"), "GOFLAGS": "-mod=mod"})
        return ends(start(prefix, [out], place))
    return run


CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--no-first-run", "--disable-sync"]

# name: (what it needs, how it runs, whether it is refused in words)
PROGRAMS = {
    "java": ("java", once(lambda p: ["java", p.write("Hello.java", JAVA)]), False),
    "node": ("node", once(lambda p: ["node", p.write("work.js", NODE)]), False),
    "chromium": ("chromium", once(lambda p: [*CHROMIUM, f"--user-data-dir={p.folder}/profile", "--dump-dom",
                                             "data:text/html,<b id=x></b><script>x.textContent=[1,2,3].map(i=>i*i)</script>"]), False),
    "firefox-esr": ("firefox-esr", firefox, False),
    "redis-server": ("redis-server", redis, False),
    "jemalloc linked in": ("gcc", built("work.c", JEMALLOC, ["gcc", "-O1", "-fno-builtin", "SOURCE", "-o", "OUT", "-Wl,--whole-archive",
                                                           "-l:libjemalloc.a", "-Wl,--no-whole-archive", "-pthread", "-lm", "-ldl",
                                                           "-lstdc++"]), False),
    "nginx": ("nginx", nginx, False),
    "postgres": ("initdb", postgres, False),
    "python3": ("/usr/bin/python3", once(lambda p: ["/usr/bin/python3", p.write("work.py", PYTHON)]), False),
    "python3, killed": ("/usr/bin/python3", once(lambda p: ["/usr/bin/python3", "-c",
                                                            "import os, signal; print(1, flush=True); os.kill(os.getpid(), "
                                                            "signal.SIGKILL)"]), False),
    "perl": ("perl", once(lambda p: ["perl", "-e", "my %h; $h{$_ % 997} .= $_ for 1..40000; print length(join(',', sort values %h)); "
                                                   "exit 11"]), False),
    "g++": ("g++", once(lambda p: ["g++", "-S", "-O1", "-o", "-", p.write("a.cpp", "#include <map>\nint main() { std::map<int, int> m; "
                                                                          "return m[1]; }\n")]), False),
    "go, with cgo": ("go", built("work.go", GO, ["go", "build", "-o", "OUT", "SOURCE"]), False),
    "go, static": ("go", built("work.go", GO, ["env", "CGO_ENABLED=0", "go", "build", "-o", "OUT", "SOURCE"]), True),
    "rust": ("rustc", built("work.rs", RUST, ["rustc", "-O", "SOURCE", "-o", "OUT"]), False),
    "rust, static": ("rustc", built("work.rs", RUST, ["rustc", "-O", "-C", "target-feature=+crt-static", "SOURCE", "-o", "OUT"]), True),
}


def is_installed(what):
    return postgres_folder() is not None if what == "initdb" else shutil.which(what) is not None


def messages(error):
    return [line for line in error.decode(errors="replace").splitlines() if line.startswith("ubiheap:")]


def counted(error):
    """Allocations and files of `ubiheap record`'s last line."""
    found = re.search(r"ubiheap: recorded ([\d,]+) .*? in \S+(?: and ([\d,]+) more file)?", error.decode(errors="replace"))
    if not found:
        return None, None
    return int(found[1].replace(",", "")), 1 + int((found[2] or "0").replace(",", ""))


def run_alone(how):
    place = Place()
    try:
        status, out, _ = how([], place)
        return status, out.replace(str(place.folder).encode(), b"FOLDER")
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)


def run_recorded(how, ubiheap, options):
    place = Place()
    try:
        prefix = [ubiheap, "record", "--no-symbols", *options, "--output", str(place.folder / "out.ubirec"), "--"]
        started = time.monotonic()
        status, out, error = how(prefix, place)
        allocations, files = counted(error)
        return {"status": status, "output": out.replace(str(place.folder).encode(), b"FOLDER"), "allocations": allocations,
                "processes": files, "seconds": round(time.monotonic() - started, 2), "words": [w.replace(str(place.folder), "FOLDER") for w in messages(error)[-4:]]}
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)


def run_heaptrack(how):
    """Allocations, or None: it counts none, hangs or fails."""
    if not shutil.which("heaptrack"):
        return None
    place = Place()
    try:
        status, out, error = how(["heaptrack", "-o", str(place.folder / "heaptrack")], place)
        found = re.search(rb"allocations:\s+(\d+)", out + error)
        return {"status": status, "allocations": int(found[1]) if found else None}
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError):
        return {"status": "fails", "allocations": None}
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)


def judge(result, alone, refused):
    """Whether the program did what it does alone; static ones are refused in words instead."""
    status, output = alone
    if refused:
        return result["status"] == 126 and any("statically linked" in words for words in result["words"])
    return result["status"] == status and result["output"] == output


def measure(name, ubiheap):
    what, how, refused = PROGRAMS[name]
    alone, again = run_alone(how), run_alone(how)
    row = {"program": name, "status": alone[0], "repeats": alone == again, "refused": refused, "modes": {}}
    for mode, options in MODES.items():
        result = run_recorded(how, ubiheap, options)
        row["modes"][mode] = {**{k: v for k, v in result.items() if k != "output"}, "same": judge(result, alone, refused)}
    row["heaptrack"] = None if refused else run_heaptrack(how)
    return row


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return {"kernel": f"{platform.system()} {platform.release()}", "processors": os.cpu_count(), "memoryMiB": memory}


def version(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        return done.stdout.strip().splitlines()[0] if done.stdout.strip() else ""
    except OSError:
        return ""


HEAD = """\
# Programs that were recorded

Large programs of Debian, alone and under `ubiheap record`. *Same* says that standard output, answers to clients, exit status and
signal were those of the program alone; sampled and exact, with and without its children. Beside it, how many allocations were
counted: by `record --exact` of the program, with its children, and by heaptrack of the program. Programs with threads, caches and
timers do not allocate exactly as often twice. The run of {date}; `python3 bench/real_programs.py --deps --page` repeats it, and
[bench/results/{file}](../../bench/results/{file}) has all of it.

| program | ends with | same: exact | sampled | exact, children | sampled, children | allocations | with children | processes | heaptrack |
|---|---|---|---|---|---|---:|---:|---:|---:|
"""


def status_words(status):
    if isinstance(status, int) and status < 0:
        return signal.Signals(-status).name
    return f"status {status}" if isinstance(status, int) else status


def number(value):
    return f"{value:,}" if value is not None else "-"


def page(document, file):
    lines = []
    for row in document["programs"]:
        modes = row["modes"]
        words = ["refused in words" if row["refused"] and modes[m]["same"] else "yes" if modes[m]["same"] else "**no**" for m in MODES]
        exact, followed, rival = modes["exact"], modes["exact, children"], row["heaptrack"] or {}
        cells = [row["program"], status_words(row["status"]), *words, number(exact["allocations"]), number(followed["allocations"]),
                 number(followed["processes"]),
                 "hangs" if rival.get("status") == "hangs" else number(rival.get("allocations"))]
        lines.append("| " + " | ".join(cells) + " |")
    notes = "\nChromium, Firefox and the program with jemalloc have allocators of their own linked in: these come before any recorder, " \
            "and what\nis counted there are the shell scripts and helpers around them.\n"
    return HEAD.format(date=document["date"], file=file) + "\n".join(lines) + "\n" + notes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--deps", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--name", default="latest")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.deps:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    ubiheap = str((ROOT / options.build / "bin/ubiheap").resolve())
    rows, bad = [], 0
    for name in options.only.split(",") if options.only else PROGRAMS:
        if not is_installed(PROGRAMS[name][0]):
            print(f"programs: {name} is left out: {PROGRAMS[name][0]} is not installed", file=sys.stderr)
            continue
        row = measure(name, ubiheap)
        rows.append(row)
        for mode, result in row["modes"].items():
            bad += not result["same"]
            print(f"{name:<20} {mode:<18} {'same' if result['same'] else 'DIFFERS'}  {status_words(result['status'])}  "
                  f"{number(result['allocations'])} in {number(result['processes'])}  {result['seconds']} s", flush=True)
        print(f"{name:<20} heaptrack          {row['heaptrack']}", flush=True)
    document = {"schema": "ubiheap.bench-programs/1", "name": options.name, "date": datetime.date.today().isoformat(),
                "machine": machine(), "ubiheap": version([ubiheap, "--version"]), "rival": version(["heaptrack", "--version"]),
                "programs": rows}
    file = f"programs-{options.name}.json"
    (ROOT / "bench/results" / file).write_text(json.dumps(document, indent=1) + "\n")
    if options.page:
        (ROOT / "docs/reference/recorded-programs.md").write_text(page(document, file))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
