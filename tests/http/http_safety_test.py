#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a server must withstand: those who may not ask, hostile requests, clients that leave, stop or never end, and its own end."""
import gzip
import json
import os
import re
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from serving import AFTER, BEFORE, ROOT, TOOL, V8, check_schema, drive, read_all, serve


def save_is_waiting(server):
    return any(job["title"] == "save" and job.get("stage") for job in server.get("/api/1/jobs")["jobs"])


class Entrance(unittest.TestCase):
    def test_nothing_is_answered_without_the_token(self):
        server = serve(self, AFTER)
        wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
        for path, headers in [("/api/1/heaps", {}), ("/", {}), ("/nothing", {}), (f"/api/1/heaps?token={wrong}", {}), ("/api/1/heaps?token=", {}),
                              ("/api/1/heaps", {"Authorization": f"Bearer {wrong}"}), ("/api/1/heaps", {"Authorization": server.token}),
                              ("/api/1/heaps", {"Authorization": "Bearer"}), ("/api/1/heaps", {"Cookie": f"ubiheap-{server.port}={wrong}"}),
                              ("/api/1/heaps", {"Cookie": f"ubiheap-1={server.token}"})]:
            answer = server.ask(path, headers=headers, with_token=False)
            self.assertEqual((answer.code, answer.headers["WWW-Authenticate"]), (401, 'Bearer realm="ubiheap"'), (path, headers))
            self.assertNotIn(server.token, answer.body.decode())
            self.assertEqual(check_schema(answer.document)["status"], "unauthorized")

    def test_the_token_is_taken_from_address_header_and_cookie(self):
        server = serve(self, AFTER)
        first = server.ask(f"/?token={server.token}", with_token=False)
        cookie = first.headers["Set-Cookie"]
        self.assertEqual(first.code, 200)
        self.assertRegex(cookie, rf"^ubiheap-{server.port}={server.token}; Path=/; HttpOnly; SameSite=Strict$")
        second = server.ask("/api/1/heaps", headers={"Cookie": f"a=b; {cookie.split(';')[0]}; c=d"}, with_token=False)
        self.assertEqual((second.code, second.headers["Set-Cookie"]), (200, None))
        self.assertEqual(server.ask("/api/1/heaps").code, 200)
        self.assertRegex(server.token, r"^[0-9a-f]{32}$")
        self.assertNotEqual(server.token, serve(self).token)

    def test_other_names_and_other_sites_are_refused(self):
        server = serve(self, AFTER)
        hosts = {f"127.0.0.1:{server.port}": 200, f"localhost:{server.port}": 200, f"LOCALHOST:{server.port}": 200, "127.0.0.1": 403,
                 f"evil.example:{server.port}": 403, f"127.0.0.1:{server.port + 1}": 403, f"127.0.0.1.evil.example:{server.port}": 403,
                 f"localhost.:{server.port}": 403, f"127.0.0.1:{server.port}x": 403, "": 403}
        for host, code in hosts.items():
            answer = server.ask("/api/1/heaps", headers={"Host": host})
            self.assertIn(answer.code, (code, 400) if code == 403 else (200,), host)
            if answer.code == 403:
                self.assertEqual(check_schema(answer.document)["status"], "forbidden")
        here = f"http://127.0.0.1:{server.port}"
        for origin, code in {here: 200, "null": 403, "http://evil.example": 403, f"https://127.0.0.1:{server.port}": 403,
                             f"http://localhost:{server.port}": 403, here + ".evil.example": 403}.items():
            answer = server.ask("/api/1/heaps", headers={"Origin": origin})
            self.assertEqual((answer.code, answer.headers["Access-Control-Allow-Origin"]), (code, None), origin)

    def test_all_answers_have_the_headers_that_keep_browsers_safe(self):
        server = serve(self, AFTER)
        for answer in (server.ask("/"), server.ask("/api/1/heaps"), server.ask("/api/1/heaps/h1/summary"), server.ask("/nothing"),
                       server.ask("/", with_token=False), server.ask("/api/1/heaps/h1/file")):
            self.assertTrue(answer.headers["Content-Security-Policy"].startswith("default-src 'none'"))
            for name, value in [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
                                ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin")]:
                self.assertEqual(answer.headers[name], value)

    def test_others_are_warned_of_when_it_listens_for_them(self):
        server = serve(self, "--listen", "0.0.0.0", AFTER)
        self.assertEqual(server.ask("/api/1/heaps").code, 200)
        self.assertEqual(server.ask("/api/1/heaps", headers={"Host": f"evil.example:{server.port}"}).code, 403)
        self.assertEqual(server.end(), 0)
        self.assertIn("warning: others can reach this address", server.errors)


class Paths(unittest.TestCase):
    def test_nothing_outside_of_the_folders_is_opened(self):
        outside = serve(self)
        folder = outside.above
        inside = folder / "inside"
        inside.mkdir()
        (folder / "secret.fxsnapshot").write_bytes((ROOT / AFTER).read_bytes())
        (inside / "link.fxsnapshot").symlink_to(folder / "secret.fxsnapshot")
        (inside / "up").symlink_to("..")
        os.mkfifo(inside / "pipe")
        server = serve(self, "--root", inside)
        messages = set()
        for path in ("../secret.fxsnapshot", str(folder / "secret.fxsnapshot"), "link.fxsnapshot", "up/secret.fxsnapshot", "/etc/passwd",
                     "./../secret.fxsnapshot", "inside/../../secret.fxsnapshot", "/proc/self/mem", "pipe", "", ".", "missing", "a\nb",
                     str(inside) + "/../secret.fxsnapshot", "x" * 5000):
            answer = server.ask("/api/1/heaps", "POST", json.dumps({"path": path}))
            self.assertEqual(answer.code, 404, path)
            messages.add(answer.document["message"].replace(path, "PATH") if path else "")
        for path in ("/api/1/heaps/..%2f..%2fsecret.fxsnapshot/file", "/api/1/../../etc/passwd", "/..%2f..%2fetc%2fpasswd"):
            self.assertEqual(server.ask(path).code, 404)
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])
        self.assertEqual(server.get("/api/1/files")["files"], [])

    def test_without_a_folder_nothing_is_opened(self):
        server = serve(self)
        self.assertEqual(server.ask("/api/1/heaps", "POST", json.dumps({"path": str(ROOT / AFTER)})).code, 404)


class Uploads(unittest.TestCase):
    def head(self, server, extra):
        return (f"PUT /api/1/heaps?name=x HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
                f"{extra}\r\n\r\n").encode()

    def await_empty(self, server):
        while server.folder():
            time.sleep(0.01)

    def test_an_upload_that_is_cut_leaves_nothing(self):
        server = drive(self)
        for extra in ("Content-Length: 500000", "Transfer-Encoding: chunked"):
            connection = server.raw()
            connection.sendall(self.head(server, extra) + b"4000\r\n" + b"x" * 0x3000)
            while not server.folder():
                time.sleep(0.01)
            connection.close()
            self.await_empty(server)
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])

    def test_an_upload_that_is_too_large_is_refused(self):
        server = drive(self, upload=100000)
        connection = server.raw()
        connection.sendall(self.head(server, "Content-Length: 100001"))
        self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413"))
        connection.close()
        piece = b"1000\r\n" + b"y" * 0x1000 + b"\r\n"
        connection = server.raw()
        connection.sendall(self.head(server, "Transfer-Encoding: chunked") + piece * 30 + b"0\r\n\r\n")
        self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413"))
        connection.close()
        connection = server.raw()  # one that never ends
        with self.assertRaises((ConnectionResetError, BrokenPipeError)):
            connection.sendall(self.head(server, "Transfer-Encoding: chunked"))
            while True:
                connection.sendall(piece)
        connection.close()
        self.await_empty(server)
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])

    def test_what_is_no_heap_is_refused_by_name(self):
        server = drive(self)
        answer = server.ask("/api/1/heaps?name=../../x", "PUT", b"\x7fELF" + bytes(1000))
        self.assertEqual(answer.code, 422, answer.body)
        check_schema(answer.document)
        self.await_empty(server)


class Requests(unittest.TestCase):
    def test_addresses_and_bodies_that_are_too_long_are_refused(self):
        server = serve(self, AFTER)
        self.assertEqual(server.ask("/api/1/heaps?x=" + "y" * 9000).code, 414)
        self.assertEqual(server.ask("/api/1/heaps/h1/nodes", "POST", b" " * 70000).code, 413)
        unannounced = server.ask("/api/1/heaps/h1/nodes", "POST", iter([b" " * 7000] * 10))
        self.assertEqual((unannounced.code, check_schema(unannounced.document)["status"]), (413, "limitReached"))
        self.assertEqual(server.ask("/api/1/heaps?" + "&".join(f"n{i}=1" for i in range(200))).code, 414)
        self.assertEqual(server.ask("/a" * 20).code, 414)
        connection = server.raw()
        connection.sendall(b"GET /" + b"a" * 40000)
        self.assertIn(read_all(connection)[:12], (b"HTTP/1.1 414", b"HTTP/1.1 431", b""))
        connection.close()

    def test_headers_that_never_end_are_cut(self):
        server = drive(self, AFTER, idle=2)
        quick = server.raw()
        try:
            quick.sendall(b"GET / HTTP/1.1\r\n")
            for i in range(4000):
                quick.sendall(f"X-{i}: {'z' * 40}\r\n".encode())
        except (ConnectionResetError, BrokenPipeError):
            pass
        self.assertNotIn(b" 200 ", read_all(quick))
        quick.close()
        slow, n_sent = server.raw(), 0
        try:
            while True:  # a byte now and then: never idle
                slow.sendall(b"X-Slow: y\r\n" if n_sent else b"GET / HTTP/1.1\r\n")
                n_sent += 1
                time.sleep(0.2)
                slow.setblocking(False)
                try:
                    if not slow.recv(1):
                        break
                except BlockingIOError:
                    pass
                slow.setblocking(True)
        except (ConnectionResetError, BrokenPipeError):
            pass
        self.assertGreater(n_sent, 0)
        slow.close()
        self.assertEqual(server.ask("/api/1/heaps").code, 200)

    def test_one_who_does_not_read_is_cut(self):
        folder = serve(self).above
        large = folder / "large.heapsnapshot"
        large.write_bytes(gzip.decompress((ROOT / V8).read_bytes()) + b" " * (64 << 20))
        server = drive(self, large, idle=2)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((server.host, server.port))
        request = f"GET /api/1/heaps/h1/file HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        connection.sendall(request.encode())
        while n_established(server.port):
            time.sleep(0.1)
        self.assertLess(len(read_all(connection)), large.stat().st_size)
        connection.close()

    def test_what_is_not_a_request_is_refused_by_the_library_as_the_reference_says(self):
        server = serve(self, AFTER)
        known = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
        post = "POST /api/1/heaps HTTP/1.1\r\n" + known
        for code, data in [(414, f"GET /{'a' * 40000} HTTP/1.1\r\n{known}\r\n"), (431, f"GET / HTTP/1.1\r\n{known}X: {'a' * 40000}\r\n\r\n"),
                           (400, "GET / HTTP/1.1\r\n\r\n"), (400, f"GET / HTTP/1.1\r\n{known}no colon\r\n\r\n"),
                           (400, f"{post}Content-Length: -5\r\n\r\n"), (413, f"{post}Content-Length: {'9' * 30}\r\n\r\n"),
                           (400, f"{post}Transfer-Encoding: chunked\r\n\r\nzz\r\n"), (505, f"GET / HTTP/9.9\r\n{known}\r\n"), (None, "GET\r\n\r\n")]:
            connection = server.raw()
            connection.sendall(data.encode())
            answer = read_all(connection)
            self.assertEqual(answer.split(b" ")[1:2], [str(code).encode()] if code else [], data[:60])
            self.assertNotIn(b"ubiheap.error/1", answer)
            connection.close()

    def test_what_others_may_understand_otherwise_is_refused(self):
        server = serve(self, AFTER)
        known = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nConnection: close\r\n"
        for more in ("Host: evil.example\r\n", "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
                     "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"):
            connection = server.raw()
            connection.sendall(f"POST /api/1/heaps/h1/summary HTTP/1.1\r\n{known}{more}\r\n0\r\n\r\n".encode())
            answer = read_all(connection)
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (more, answer))
            self.assertEqual(check_schema(json.loads(answer.split(b"\r\n\r\n", 1)[1]))["status"], "wrongArgument")
            connection.close()

    def test_garbage_does_no_harm(self):
        server = drive(self, AFTER, idle=2)  # some of it may be the beginning of more
        for data in (b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     b"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", b"CONNECT x:1 HTTP/1.1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"GET /%s%n HTTP/1.1\r\nHost: x\r\n\r\n"):
            connection = server.raw()
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            self.assertNotIn(b" 200 ", read_all(connection), data)
            connection.close()
        self.assertEqual(server.ask("/api/1/heaps").code, 200)


def n_established(port):
    """Connections to this port that the server has open."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


class Leaving(unittest.TestCase):
    def test_a_client_that_leaves_cancels_what_it_alone_waits_for(self):
        server = drive(self)
        clients = [server.raw() for _ in range(2)]
        for client in clients:
            client.sendall(f"POST /api/1/targets/t1/heaps HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
                           "Content-Length: 0\r\n\r\n".encode())
        count = lambda: sum(job["title"] == "save" for job in server.get("/api/1/jobs")["jobs"])
        while count() < 2:
            pass
        clients[0].close()
        while count() > 1:
            pass
        clients[1].close()
        while count() > 0:
            pass
        server.say("point")
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])

    def test_one_who_leaves_a_stream_of_events_leaves_the_job_that_is_kept(self):
        server = drive(self)
        job = server.get("/api/1/targets/t1/heaps?async", method="POST")
        connection = server.connect()
        connection.request("GET", job["events"], headers={"Authorization": f"Bearer {server.token}"})
        connection.getresponse().readline()
        connection.close()
        while not save_is_waiting(server):
            pass
        server.say("point")
        self.assertEqual(server.ask(job["answer"]).code, 200)

    def test_a_waiting_client_is_not_taken_for_an_idle_one(self):
        server = drive(self, idle=1)
        answers = []
        client = threading.Thread(target=lambda: answers.append(server.ask("/api/1/targets/t1/heaps", "POST")))
        client.start()
        while not save_is_waiting(server):
            pass
        time.sleep(2.5)
        server.say("point")
        client.join()
        self.assertEqual(answers[0].code, 201)

    def test_a_limited_number_of_requests_waits(self):
        server = drive(self, waiting=3)
        codes = [server.ask("/api/1/targets/t1/heaps?async", "POST") for _ in range(16)]
        refused = [answer for answer in codes if answer.code == 503]
        self.assertTrue(refused)
        self.assertEqual((refused[0].headers["Retry-After"], refused[0].document["status"]), ("1", "busy"))
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])


class Many(unittest.TestCase):
    def test_64_clients_ask_at_once_without_an_error(self):
        server = serve(self, BEFORE, AFTER, V8)
        paths = ["h1/summary", "h2/nodes?limit=50", "h3/statistics", "h1/diff?with=h2", "h3/nodes?sort=-retainedSize&limit=20", "h2/report?format=page"]
        expected = [server.ask(f"/api/1/heaps/{path}").body for path in paths]
        wrong = []

        def client(number):
            connection = server.connect()
            for i in range(12):
                which = (number + i) % len(paths)
                answer = server.ask(f"/api/1/heaps/{paths[which]}", connection=connection)
                if (answer.code, answer.body) != (200, expected[which]):
                    wrong.append((answer.code, answer.body[:200]))
            connection.close()

        threads = [threading.Thread(target=client, args=(i,)) for i in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(server.end(), 0)


class End(unittest.TestCase):
    def test_it_ends_in_order_with_jobs_and_uploads(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = serve(self, V8)
            self.assertEqual(server.ask("/api/1/heaps?name=x", "PUT", (ROOT / AFTER).read_bytes()).code, 201)
            server.get("/api/1/heaps/h1/report?async")
            self.assertEqual(len(server.folder()), 1)
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(), 0)
            self.assertEqual(list(server.above.glob("ubiheap-serve-*")), [])

    def test_those_who_wait_get_an_answer(self):
        server = drive(self)
        answers = []
        client = threading.Thread(target=lambda: answers.append(server.ask("/api/1/targets/t1/heaps", "POST")))
        client.start()
        while not save_is_waiting(server):
            pass
        server.process.stdin.write("stop\n")
        server.process.stdin.flush()
        client.join()
        self.assertEqual(answers[0].code, 503)
        self.assertEqual(server.process.wait(), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server = serve(self)
        server.process.send_signal(signal.SIGSTOP)  # both are there when it continues: it takes one, and the other ends it
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGINT)
        server.process.send_signal(signal.SIGCONT)
        self.assertEqual(server.process.wait(), 130)

    def test_what_a_killed_server_left_is_deleted_by_the_next(self):
        killed = serve(self)
        runs = serve(self, above=killed.above)
        for server in (killed, runs):
            self.assertEqual(server.ask("/api/1/heaps?name=x", "PUT", (ROOT / AFTER).read_bytes()).code, 201)
        killed.process.kill()
        killed.process.wait()
        folders = sorted(killed.above.glob("ubiheap-serve-*"))
        self.assertEqual(len(folders), 2)
        for folder in folders:
            os.utime(folder, (1, 1))  # long ago
        other = serve(self, above=killed.above)
        self.assertEqual(len(list(killed.above.glob("ubiheap-serve-*"))), 2)  # of those that run
        self.assertEqual(len(other.folder()), 1)
        self.assertEqual(runs.get("/api/1/heaps/h1/statistics")["file"], "x")

    def test_a_port_that_is_taken_and_a_folder_that_is_missing_are_said(self):
        server = serve(self)
        for words, message, code in [(["--port", str(server.port)], "cannot listen on 127.0.0.1 port", 4), (["--root", "/missing"], "/missing", 4),
                                     (["--port", "70000"], "--port", 2), (["--listen", "localhost"], "digits", 2), (["missing.heapsnapshot"], "missing.heapsnapshot", 4)]:
            ended = subprocess.run([TOOL, "serve", *words], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(ended.returncode, code, (words, ended.stderr))
            self.assertIn(message, ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1)


class TokenFiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.file = Path(temporary.name) / "token"

    def refuse(self, words, code=2):
        ended = subprocess.run([TOOL, "serve", "--token-file", self.file], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertRegex(ended.stderr, rf"\Aubiheap: {re.escape(str(self.file))}: [^\n]*{words}[^\n]*\n\Z")

    def test_a_token_that_is_made_once_opens_each_server(self):
        first = serve(self, "--token-file", self.file, AFTER)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(self.file.read_text(), first.token + "\n")
        heaps = first.get("/api/1/heaps")
        first.end()
        second = serve(self, "--token-file", self.file, "--port", first.port, AFTER)
        self.assertEqual((second.url, self.file.read_text()), (first.url, first.token + "\n"))
        again = first.get("/api/1/heaps")
        self.assertEqual(again["heaps"], heaps["heaps"])
        self.assertNotEqual(again["server"], heaps["server"])
        self.assertEqual(again["server"], second.get("/api/1/heaps")["server"])

    def test_a_token_of_the_users_own_is_taken(self):
        self.file.write_text("0123456789abcdefABCDEF9876543210")
        self.file.chmod(0o400)
        self.assertEqual(serve(self, "--token-file", self.file).token, "0123456789abcdefABCDEF9876543210")

    def test_servers_that_start_together_have_the_same(self):
        command = [TOOL, "serve", "--token-file", self.file]
        together = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        tokens = {process.stdout.readline().strip().partition("token=")[2] for process in together}
        for process in together:
            process.terminate()
            process.communicate()
        self.assertEqual(tokens, {self.file.read_text().strip()})

    def test_what_others_can_read_is_no_token(self):
        for mode in (0o640, 0o604, 0o620, 0o602):
            self.file.write_text("0" * 32)
            self.file.chmod(mode)
            self.refuse("others may read or write")

    def test_what_is_none_is_refused(self):
        for text in ("", "0" * 31, "0" * 33, "0" * 31 + "g", "0" * 32 + "\n\n", "0" * 16 + "\0" + "0" * 15):
            self.file.write_text(text)
            self.file.chmod(0o600)
            self.refuse("holds no token")
            self.assertEqual(self.file.read_text(), text)
        self.file.unlink()
        os.mkfifo(self.file, 0o600)
        self.refuse("regular file")
        self.file.unlink()
        self.file = self.file / "below" / "nothing"
        self.refuse("", code=4)


if __name__ == "__main__":
    unittest.main()
