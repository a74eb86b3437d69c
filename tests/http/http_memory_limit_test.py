#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""64 clients ask about heaps that need far more than the limit of memory: all are answered, or refused with the documented error, and
what is resident stays within the limit and a tenth."""
import os
import random
import shutil
import sys
import threading
import unittest
from pathlib import Path

from serving import ROOT, check_schema, serve

sys.path.insert(0, str(ROOT / "tests" / "growth"))
import v8_shapes  # noqa: E402

CLIENTS, EACH, COPIES = 64, 8, 12
IS_PLAIN = os.environ.get("UBI_PRESET_KIND", "plain") == "plain"  # sanitizers have memory of their own, and take their time
NODES = 200000 if IS_PLAIN else 40000
LIMIT = 96 << 20 if IS_PLAIN else 20 << 20
THREADS, BUFFERS = os.cpu_count() + 2, 1 << 20  # of a server, and what each of them reads a file with


def most_resident_bytes(server):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


class MemoryLimit(unittest.TestCase):
    def copies(self, folder):
        heap = v8_shapes.Heap()
        last = heap.globals
        for i in range(NODES):
            node = heap.node("object", f"Class{i % 50}", 32)
            heap.link(last if i % 3 else heap.globals, "property", f"p{i % 200}", node)
            last = node
        first = folder / "0.heapsnapshot"
        heap.write(first)
        files = [first]
        for i in range(1, COPIES):
            files.append(shutil.copyfile(first, folder / f"{i}.heapsnapshot"))
        return files

    QUESTIONS = ["summary", "statistics", "dominators?limit=20", "report", *(f"nodes?sort=-retainedSize&limit=50&offset={50 * k}" for k in range(6))]

    def ask_all(self, server, paths=None):
        paths = paths or [f"/api/1/heaps/h{1 + i}/{question}" for i in range(COPIES) for question in self.QUESTIONS]
        answers = []

        def ask(number):
            chosen, connection = random.Random(number), server.connect()
            for _ in range(EACH):
                answers.append(server.ask(chosen.choice(paths), connection=connection))
            connection.close()

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), CLIENTS * EACH)
        return answers

    def computing_bytes(self, server):
        """(answers, bytes for what is computed): what is resident beyond what 64 clients take that ask for nothing of the kind."""
        self.ask_all(server, ["/api/1/questions"])
        before = most_resident_bytes(server)
        answers = self.ask_all(server)
        return answers, most_resident_bytes(server) - before

    def test_memory_stays_within_its_limit(self):
        files = self.copies(serve(self).above)
        unlimited = serve(self, "--no-cache", *files)
        answers, needed_bytes = self.computing_bytes(unlimited)
        self.assertEqual({answer.code for answer in answers}, {200})
        unlimited.end()
        server = serve(self, "--no-cache", "--memory", str(LIMIT), *files)
        answers, taken_bytes = self.computing_bytes(server)
        for answer in answers:
            self.assertIn(answer.code, (200, 507), answer.body[:200])
            if answer.code == 507:
                self.assertEqual(check_schema(answer.document)["status"], "outOfMemory")
        self.assertIn(200, {answer.code for answer in answers})
        if IS_PLAIN:
            self.assertGreater(needed_bytes, 2 * LIMIT)
            self.assertLessEqual(taken_bytes, LIMIT + LIMIT // 10 + THREADS * BUFFERS)
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
