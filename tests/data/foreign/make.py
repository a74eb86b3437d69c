#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the files of this folder that no tool at hand writes, after the pages that README.md names."""
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent
JSON = '{"snapshot":{"meta":{}}}\r\n'


def v(number, value):
    return bytes([number << 3, value])


def b(number, value):
    return bytes([number << 3 | 2, len(value)]) + value


def write(name, data):
    (FOLDER / name).write_bytes(data.encode() if isinstance(data, str) else data)


write("web-inspector-timelines.json", '{"version":1,"recording":{"displayName":"Timeline Recording 1","startTime":0,'
      '"endTime":1,"discontinuities":[],"instrumentTypes":["timeline-record-type-heap-allocations"],"records":[]},'
      '"overview":{}}')
write("utf16-little-mark.txt", b"\xff\xfe" + JSON.encode("utf-16-le"))
write("utf16-big-mark.txt", b"\xfe\xff" + JSON.encode("utf-16-be"))
write("utf16-little.txt", JSON.encode("utf-16-le"))
write("utf16-big.txt", JSON.encode("utf-16-be"))
write("login.html", '\n<!DOCTYPE HTML>\n<html lang="en"><head><title>Sign in</title></head><body></body></html>\n')
write("map.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"></svg>\n')
write("census.txt", "     Size       %              Count  Name\n  641 KiB  100.0%  ##########  7,198  (everything)\n")
write("denied.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>\n')
write("pointer-lfs.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n")
write("notes.txt", "\xef\xbb\xbfTomorrow's tests\n".encode("latin-1"))
write("array.json", '[1, {"a": 2}]')
write("events.json", '[\n{"name":"thread_name","ph":"M","pid":1,"tid":2,"ts":0,"args":{"name":"main"}},\n')
write("devtools-trace.json", '{"metadata":{"source":"DevTools","startTime":"2026-01-01T00:00:00.000Z"},"traceEvents":[]}')
write("firefox-profile.json", '{"meta":{"interval":1,"startTime":1700000000000.5,"product":"Firefox"},"libs":[],"threads":[]}')
write("memory-report.json", '{"version":1,"hasMozMallocUsableSize":true,"reports":[]}')
write("jemalloc.heap", "heap_v2/524288\n  t*: 1: 64 [0: 0]\n")
write("gperftools.heap", "heap profile:      1:       64 [     1:       64] @ heapprofile\n")
write("empty.zip", b"PK\5\6" + bytes(18))
write("archive.7z", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24))
write("archive.rar", b"Rar!\x1a\x07\1\0" + bytes(8))
write("crash.dmp", b"MDMP\x93\xa7\0\0" + bytes(24))
write("universal-mach-o", struct.pack(">IIIIIII", 0xcafebabe, 2, 0x01000007, 3, 0x4000, 64, 14))
write("heap.pb", b(1, v(1, 1) + v(2, 2)) + b(1, v(1, 3) + v(2, 4)) + b(2, b(1, b"\1") + b(2, b"\1\x40")) + b(6, b"") +
      b(6, b"inuse_objects") + b(6, b"count") + b(6, b"inuse_space") + b(6, b"bytes"))
write("one-type.pb", b(1, v(1, 1) + v(2, 2)) + b(2, b(1, b"\1") + b(2, b"\1")) + b(6, b"") + b(6, b"cpu"))
write("report.json", '{"schema":"ubiheap.report/1","file":"app.heapsnapshot","format":"heapsnapshot"}\n')
write("jsonl.jsonl", '{"schema":"ubiheap.jsonl/1","record":"header"}\n')
write("allocation-log.jsonl", '{"schema":"ubiheap.allocation-log/1","record":"header","script":"a.js"}\n')
