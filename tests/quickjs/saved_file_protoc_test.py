# SPDX-License-Identifier: MIT
"""Independent readers take what is saved of a program that runs: protoc, and the reference reader in Python."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fxsnapshot"))
import fxsnapshot_protoc_test  # noqa: E402
import harness  # noqa: E402
import reference_reader  # noqa: E402

# Tracked allocations at several depths, texts of all kinds.
PROGRAM = r"""
import { saveHeapSnapshot, getObjectNodeId } from "ubiheap";
const g = newGlobal(), dbg = new Debugger(g);
dbg.memory.trackingAllocationSites = true;
g.eval("function make(k) { return k ? make(k - 1) : { 'h\u00e4 \u20ac \u{1f600}': [1, 'x'], [Symbol('s')]: new Map([[1, {}]]) }; }");
g.eval("var kept = [make(0), make(5), make(30)]");
saveHeapSnapshot(scriptArgs[1] === "all" ? { runtime: true } : { debugger: dbg }, scriptArgs[2]);
console.log(getObjectNodeId(g.kept), getObjectNodeId(g.kept[2]));
"""
FOLDER = harness.scratch


def saved(scope):
    """The bytes of a snapshot, and the ids of a list and an element of it."""
    script, path = FOLDER.file(PROGRAM.encode(), ".js"), FOLDER.file(b"", ".fxsnapshot")
    stack = "4MiB"  # the sanitizers make frames larger
    done = harness.run("run", "--debugger", "--stack-size", stack, "--module", script, scope, path)
    if done.exit or done.err:
        raise AssertionError(f"exit {done.exit}: {done.err}")
    return path.read_bytes(), [int(word) for word in done.out.split()]


class Saved(fxsnapshot_protoc_test.Protoc):
    """The tests of the base class, on what is saved live; and what the reference reader makes of it."""

    OWN_METADATA = [("writer", f"ubiheap {harness.VERSION}".encode())]
    LEAST_MESSAGES = 500
    test_page_with_stacks = test_browser_process_with_dom_nodes_and_scripts = None

    def file_bytes(self, name):
        return saved(name)[0]

    def test_protoc_decodes_every_message_of_a_runtime(self):
        self.check("all")

    def test_protoc_decodes_every_message_of_a_debuggee(self):
        self.check("debuggee")

    def test_the_reference_reader_takes_it_as_firefox_would(self):
        for scope in ("all", "debuggee"):
            data, (kept, deepest) = saved(scope)
            snapshot = reference_reader.read(data, compat_firefox=True)
            others = len(snapshot.nodes) - 1  # no edge leads to the root
            self.assertEqual(len(reference_reader.reachable(snapshot)), others)
            self.assertIn(deepest, {referent for referent, _ in snapshot.nodes[kept].edges})
            stacks = [node.stack for node in snapshot.nodes.values() if node.stack]
            self.assertGreater(len(stacks), 3)
            self.assertIsNotNone(snapshot.nodes[deepest].stack)


if __name__ == "__main__":
    if not harness.UBIHEAP or not shutil.which("protoc"):
        print("skipped: needs the tool and protoc (Debian package protobuf-compiler)")
        sys.exit(77)
    harness.main()
