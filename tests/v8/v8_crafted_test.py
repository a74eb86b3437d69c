# SPDX-License-Identifier: MIT
"""Quirks that must load, and files that must be refused: each with one line that says where and why."""

import copy
import gzip
import re
import unittest

import v8_files as v8
from case_choice import some_of

FORMAT = -3


def tree(version="node20"):
    return v8.small(version).tree()


class Loads(unittest.TestCase):
    def load(self, *cases, plain=True):
        for result in v8.read_all(list(cases), "--variants", *(["--plain"] if plain else [])):
            self.assertEqual(result.status, 0, result.text)
            yield result

    def check(self, case, plain=True):
        [result] = self.load(case, plain=plain)
        return result

    def test_sections_that_are_optional_may_be_missing(self):
        t = tree()
        self.check(v8.write({k: t[k] for k in ("snapshot", "nodes", "edges", "strings")} |
                            {"trace_function_infos": t["trace_function_infos"], "trace_tree": t["trace_tree"]}))
        del t["snapshot"]["meta"]["location_fields"], t["locations"], t["samples"]
        self.check(v8.write(t))

    def test_lists_of_fields_that_old_files_lack(self):
        t = tree("node12")
        for key in ("trace_function_info_fields", "trace_node_fields", "sample_fields"):
            del t["snapshot"]["meta"][key]
        self.check(v8.write(t))

    def test_more_types_than_fields(self):
        t = tree("node24")
        self.assertEqual((len(t["snapshot"]["meta"]["node_types"]), len(t["snapshot"]["meta"]["node_fields"])), (7, 6))
        self.check(v8.write(t))

    def test_unknown_keys_are_skipped_wherever_they_stand(self):
        for value in ({}, [], [[[[{"a": ["]}\"\\"]}]]]], "text \"]", -1.5e9, True, None, {"nodes": [1, "]", {}]}):
            t = {"before": value} | tree() | {"after": value}
            t["snapshot"]["later"] = value
            t["snapshot"]["meta"]["later"] = value
            self.check(v8.write(t))

    def test_an_unknown_value_of_a_million_brackets(self):
        deep = b"[" * 1000000 + b"]" * 1000000
        self.check(b'{"deep":' + deep + b"," + v8.write(tree())[1:], plain=False)

    def test_a_trace_tree_of_a_hundred_thousand_levels(self):
        n = 100000
        text = b"".join(b"%d,1,1,1,[" % i for i in range(1, n + 1))
        case = v8.write(tree() | {"trace_tree": []}).replace(b'"trace_tree":[]', b'"trace_tree":[' + text + b"]" * n + b"]")
        self.check(case, plain=False)

    def test_any_json_white_space(self):
        self.check(b" \r\n\t" + v8.small().bytes(indent=7) + b"\n\n \t\r")

    def test_gzip(self):
        self.assertEqual(self.check(gzip.compress(v8.small().bytes()), plain=False).nodes, 9)

    def test_a_byte_order_mark(self):
        self.check(b"\xef\xbb\xbf" + v8.small().bytes(), plain=False)

    def test_snapshot_behind_everything(self):
        t = tree("node24")
        self.check(v8.write(t, order=["strings", "scopes", "scope_uses", "scope_context_vars", "locations", "edges",
                                      "nodes", "samples", "trace_tree", "trace_function_infos", "snapshot"]))

    def test_numbers_of_64_bits(self):
        s = v8.small()
        s.nodes[3]["id"], s.nodes[4]["self_size"] = 2 ** 63 - 1, 2 ** 62
        self.check(s.bytes())
        s.nodes[3]["id"], s.nodes[4]["self_size"] = 2 ** 64 - 1, 2 ** 64 - 1
        self.check(s.bytes(), plain=False)

    def test_a_node_type_of_a_later_version(self):
        s = v8.small()
        s.meta["node_types"][0] += ["wasm object", "hologram"]
        s.node("wasm object", "Memory")
        s.node("hologram", "x")
        self.check(s.bytes())

    def test_a_thousand_repeated_ids_are_noted_and_no_error(self):
        s = v8.small()
        s.node("object", "twin", id=1)
        result = self.check(s.bytes(), plain=False)
        self.assertIn("1 node has an id that an earlier node has", result.text)
        for _ in range(1000):
            s.node("object", "twin", id=3)
        result = self.check(s.bytes(), plain=False)
        self.assertIn("1001 nodes have an id", result.text)

    def test_strings_of_every_kind(self):
        t = tree()
        for raw in (r'"\u0000"', r'"\b\f\n\r\t\"\\\/"', r'"\uF600"', '"\u00e9\u4e2d\U0001f600"', r'"\uD83D\uDE00"',
                    '""', '"%s"' % ("x" * 300000), '"%s"' % ("\\u00e9" * 60000), '"%s"' % ("\u00e9" * 150000),
                    '"%s"' % ("\\\\" * 150000), r'"\u00E9\u00e9"'):
            self.check(v8.write(t).replace(b'"<dummy>"', raw.encode()))

    def test_lone_surrogates_stay(self):
        for raw in (rb'"\uD800"', rb'"\uDC00\uD800"', rb'"\uD83Dx"', rb'"\uD83D\n"', rb'"\uD83D\u0041"', rb'"\uDE00"'):
            self.check(v8.write(tree()).replace(b'"<dummy>"', raw), plain=False)

    def test_a_graph_without_edges(self):
        s = v8.Snapshot("node12")
        s.node("synthetic", "")
        result = self.check(s.bytes())
        self.assertEqual((result.nodes, result.edges, result.reachable), (1, 0, 1))

    def test_a_node_with_a_million_edges_and_long_indices(self):
        s = v8.Snapshot("node24")
        t = s.tree()
        n = 200000
        t["nodes"] = [v for i in range(n) for v in (9, 0, i + 10 ** 9, 10 ** 10 + i, n if i == 0 else 0, 0)]
        t["edges"] = [v for i in range(n) for v in (1, 10 ** 9 + i, (n - 1 - i) * 6)]
        t["snapshot"].update(node_count=n, edge_count=n)
        for newlines in (False, True):
            result = self.check(v8.write(t, newlines=newlines), plain=False)
            self.assertEqual((result.nodes, result.edges, result.reachable), (n, n, n))


class Refuses(unittest.TestCase):
    """(what is changed, what the message must match)"""

    def refuse(self, case, pattern):
        [result] = v8.read_all([case], "--variants")
        self.assertEqual(result.status, FORMAT, result.text)
        self.assertRegex(result.text, pattern)
        self.assertRegex(result.text, r"^byte \d+")
        self.assertNotIn("\n", result.text)
        return int(re.match(r"byte (\d+)", result.text).group(1))

    def refuse_at(self, case, needle, pattern, plus=0):
        """The byte named is where `needle` stands."""
        self.assertEqual(self.refuse(case, pattern), case.index(needle) + plus)

    def changed(self, version="node20", **sections):
        return v8.write(tree(version) | sections)

    def test_json_of_another_kind(self):
        for text, pattern in (
                (b"[1,2,3]", "^this is JSON, but an array: "),
                (b"{}", "^this is JSON, but no heap snapshot"),
                (b'{"level":30}\n{"level":40}\n', "^this is JSON, but no heap snapshot"),
                (b'{"name":"x","version":"1.0.0","dependencies":{"a":"^1"}}', "this is JSON, but no heap snapshot"),
                (b'{"nodes":[{"id":1,"callFrame":{}}],"startTime":1,"endTime":2,"samples":[1]}',
                 "^this is a CPU profile of V8"),
                (b'{"nodes":[{"id":1}]}',
                 'in "nodes": expected a number .no "snapshot" came before, so this may be no heap snapshot.'),
                (b'{"head":{"callFrame":{}},"samples":[{"size":1}]}', "^this is a sampling heap profile of V8"),
                (b'{"traceEvents":[{"ph":"X"}]}', "^this is a trace of Chrome"),
                (b'{"snapshot":1}', 'in "snapshot": expected an object, found \'1\''),
                (b'{"snapshot":{"uid":1,"title":"x"}}', 'in "snapshot": "meta" is missing')):
            [result] = v8.read_all([text])
            self.assertEqual(result.status, -3)
            self.assertRegex(result.text, pattern)

    def test_missing_sections(self):
        for key in ("snapshot", "nodes", "edges", "strings"):
            t = tree()
            del t[key]
            self.refuse(v8.write(t), 'no "%s"$' % key)

    def test_sections_given_twice(self):
        case = self.changed()
        self.refuse(case[:-1] + b',"nodes":[]}', 'in "nodes": this section is here a second time')

    def test_missing_fields(self):
        for table, fields in (("node_fields", ("type", "name", "id", "self_size", "edge_count")),
                              ("edge_fields", ("type", "name_or_index", "to_node")),
                              ("location_fields", ("object_index", "line")), ("sample_fields", ("timestamp_us",)),
                              ("trace_function_info_fields", ("script_id",)), ("trace_node_fields", ("children",))):
            for field in fields:
                t = tree()
                at = t["snapshot"]["meta"][table].index(field)
                t["snapshot"]["meta"][table][at] = "other"
                self.refuse(v8.write(t), 'meta.%s lacks the field "%s"' % (table, field))

    def test_counts_of_the_header(self):
        for key, section in (("node_count", "nodes"), ("edge_count", "edges")):
            for wrong in (0, 1, 10 ** 18):
                t = tree()
                right = t["snapshot"][key]
                t["snapshot"][key] = wrong
                case = v8.write(t)
                self.refuse_at(case, b'"%s":%d' % (key.encode(), wrong),
                               r'%s is %d, but "%s" \(byte \d+ to \d+\) has %d rows' % (key, wrong, section, right),
                               plus=len(key) + 3)

    def test_a_sum_of_edge_counts_that_is_not_the_number_of_edges(self):
        t = tree()
        t["nodes"][4] += 1
        self.refuse(v8.write(t), 'in "edges": there are 11 edges, but the edge_count fields of all nodes add up to 12')
        t["nodes"][4] = 2 ** 32 - 2
        self.refuse(v8.write(t), "add up to 4294967303")
        t["nodes"][4] = 2 ** 32
        self.refuse_at(v8.write(t), b"4294967296", 'in "nodes": 4294967296 is out of range')

    def test_a_row_that_is_not_whole(self):
        for key, stride in (("nodes", 7), ("edges", 3), ("locations", 4), ("samples", 2), ("trace_function_infos", 6)):
            t = tree()
            t[key] = t[key][:-1]
            self.refuse(v8.write(t), 'in "%s": the array ends with %d numbers of a row, expected %d' %
                        (key, stride - 1, stride))

    def test_numbers_out_of_range(self):
        t = tree()
        for section, place, value, pattern in (
                ("nodes", 7, 15, "node type 15 is out of range, meta.node_types has 15"),
                ("nodes", 8, 99, "name 99 is out of range, there are %d strings" % len(t["strings"])),
                ("nodes", 8, 2 ** 32 - 1, "4294967295 is out of range"),
                ("nodes", 8, 2 ** 64 - 1, "18446744073709551615 is out of range"),
                ("nodes", 12, 2 ** 40, "1099511627776 is out of range"),
                ("edges", 3, 7, "edge type 7 is out of range, meta.edge_types has 7"),
                ("edges", 4, 99, "name_or_index 99 is out of range, there are %d strings" % len(t["strings"])),
                ("edges", 5, 8, "to_node 8 is no multiple of 7"),
                ("edges", 5, 63, "to_node 63 is out of range, there are 9 nodes of 7 numbers"),
                ("edges", 5, 7 * 2 ** 40, "to_node 7696581394432 is out of range"),
                ("locations", 0, 63, "63 is no node"),
                ("locations", 0, 8, "8 is no node"),
                ("locations", 1, 2 ** 32, "4294967296 is out of range"),
                ("trace_function_infos", 1, 99, "names a string that is not there"),
                ("trace_function_infos", 4, 2 ** 33, "out of range")):
            changed = copy.deepcopy(t)
            changed[section][place] = value
            case = v8.write(changed)
            at = self.refuse(case, 'in "%s": .*%s' % (section, pattern))
            exact = len(v8.dumps(changed[section][:place])) + case.index(b'"%s":' % section.encode()) + len(section) + 3
            exact -= place == 0
            later = "behind this byte" in v8.read_all([case])[0].text
            self.assertTrue(at == exact or (later and at < exact), (case[at:at + 20], case[exact:exact + 20]))

    def test_the_same_far_behind_the_beginning(self):
        """Positions of errors in a large file: at the border of batches and chunks."""
        s = v8.Snapshot("node24")
        t = s.tree()
        n = 30000
        t["nodes"] = [v for i in range(n) for v in (9, 0, i + 1, i, 1, 0)]
        t["edges"] = [v for i in range(n) for v in (1, i, i * 6)]
        t["snapshot"].update(node_count=n, edge_count=n)
        cases, exact = [], []
        for i in some_of([*range(1, 700, 41), *range(n - 90, n, 7), *range(8000, 8200, 9)], 12):
            changed = dict(t, edges=list(t["edges"]))
            changed["edges"][i * 3 + 2] += 1
            case = v8.write(changed)
            cases.append(case)
            exact.append(case.index(b'"edges":[') + 9 + len(v8.dumps(changed["edges"][:i * 3 + 2])) - 1)
        for result, place in zip(v8.read_all(cases, "--variants"), exact):
            self.assertRegex(result.text, r'^byte %d, in "edges": to_node \d+ is no multiple of 6' % place)

    def test_invalid_numbers(self):
        t = tree()
        for section in ("nodes", "edges", "locations", "samples"):
            for value, pattern in ((-1, "a number is negative"), (1.5, "a number has a fraction or an exponent"),
                                   (1e300, "a number has a fraction or an exponent"), ("x", "expected a number, found '\"'"),
                                   (None, "expected a number, found 'n'"), ([], "expected a number, found '\\['"),
                                   ({}, "expected a number, found '{'"), (2 ** 64, "a number is above 2.64-1"),
                                   (10 ** 500, "a number is above 2.64-1")):
                changed = copy.deepcopy(t)
                changed[section][3] = value
                self.refuse(v8.write(changed), 'in "%s": %s' % (section, pattern))

    def test_commas(self):
        for old, new, pattern in ((b"[9,", b"[,9,", "expected a number, found ','"),
                                  (b"[9,", b"[9,,", "expected a number, found ','"),
                                  (b"[9,", b"[9 ", "expected ',' between numbers, found"),
                                  (b"[9,", b"[09,", "a number begins with 0"),
                                  (b"[9,", b"[00,", "a number begins with 0"),
                                  (b"[9,", b"[9;", "expected ',' or '\\]', found ';'"),
                                  (b"[9,", b"[9,\0", "expected a number, found byte 0x00"),
                                  (b"[9,", b"[9,\xff", "expected a number, found byte 0xff"),
                                  (b'],"edges"', b',],"edges"', "expected a number behind the comma, found '\\]'")):
            self.refuse(self.changed().replace(b'"nodes":' + old, b'"nodes":' + new).replace(
                old if old.startswith(b"]") else b"\1", new), 'in "nodes": ' + pattern)

    def test_the_skeleton(self):
        case = self.changed()
        for bad, pattern in ((case[:-1] + b",}", "expected another item behind the comma, found '}'"),
                             (case[:-1] + b"]", "expected ',' or '}', found '\\]'"),
                             (case + b"x", "expected the end of the file behind the last '}', found 'x'"),
                             (case + b"\0", "expected the end of the file behind the last '}', found byte 0x00"),
                             (case.replace(b'"nodes":', b'"nodes"'), "expected ':' behind the key"),
                             (case.replace(b'"nodes"', b"nodes"), "expected a key in quotes, found 'n'"),
                             (case.replace(b'"edges":[', b'"edges":{'), 'in "edges": expected an array of numbers'),
                             (b'{"x":[}' + case[1:], "expected '\\]', found '}'")):
            self.refuse(bad, pattern)

    def test_strings(self):
        for raw, pattern in ((b'"\\x"', "an escape that JSON does not know"), (b'"\\u12g4"', "an escape"),
                             (b'"\\u12"', "an escape"), (b'"a\x01"', "expected the rest of a string; control characters"),
                             (b'"a\0"', "found byte 0x00"), (b'"a\nb"', "found byte 0x0a"),
                             (b'"\xff"', "byte 0xff begins no valid UTF-8"), (b'"\xc3"', "byte 0xc3 begins no valid"),
                             (b'"\xc0\x80"', "no valid UTF-8"), (b'"\xed\xa0\x80"', "byte 0xed begins no valid UTF-8"),
                             (b'"\xf4\x90\x80\x80"', "no valid UTF-8"), (b'"\xf0\x82\x82\xac"', "no valid UTF-8"),
                             (b"7", "expected a string, found '7'"), (b"null", "expected a string, found 'n'"),
                             (b'"a" "b"', "expected ',' or '\\]', found '\"'")):
            self.refuse(self.changed().replace(b'"<dummy>"', raw), 'in "strings": .*' + pattern)
            self.refuse(self.changed().replace(b'"<dummy>"', b'"%s",%s' % (b"x" * 262000, raw)), 'in "strings": .*')

    def test_the_trace_tree(self):
        for value, pattern in (([1, 0, 0], "the array ends inside a trace node"), ([1, 0, 0, 0], "inside a trace node"),
                               ([1, 0, 0, 0, 5], "expected the array of children, found '5'"),
                               ([1, 7, 0, 0, []], "trace node 1 has function 7, there are 2 functions"),
                               ([2 ** 32, 0, 0, 0, []], "does not fit 32 bits"), ([-1], "expected a whole number"),
                               ([1.5], "without fraction"), ([2 ** 64], "above 2.64-1"), ({}, "expected an array")):
            self.refuse(self.changed(trace_tree=value), 'in "trace_tree": .*' + pattern)

    def test_scopes(self):
        for section, value, pattern in (("scope_uses", [-2, 0], "there are 1 uses, but the scopes have 2"),
                                        ("scope_context_vars", [1], "there are 1 variables, but the scopes have 2"),
                                        ("scope_context_vars", [1, 99], "name 99 is out of range"),
                                        ("scopes", [-6, 0, 0, 0, 0], "6 is out of range"),
                                        ("scopes", [54, 0, 0, 0, 0], "54 is no node"),
                                        ("scope_uses", [-2, -1, 0, 0], "-1 is out of range"),
                                        ("scope_uses", [2 ** 63, 0, 0, 0], "is not within 64 bits"),
                                        ("scope_uses", [-2 ** 64, 0, 0, 0], "a malformed negative number")):
            self.refuse(self.changed("node24", **{section: value}), 'in "%s": .*%s' % (section, pattern))

    def test_the_root(self):
        for value in (1, 63, 2 ** 60):
            t = tree()
            t["snapshot"]["root_index"] = value
            self.refuse(v8.write(t), 'in "snapshot": root_index %d is no node' % value)
        self.refuse(self.changed(nodes=[], edges=[]), "node_count is 9")
        t = tree() | {"nodes": [], "edges": []}
        t["snapshot"].update(node_count=0, edge_count=0)
        self.refuse(v8.write(t), "there are no nodes, not even a root")

    def test_the_same_when_snapshot_comes_last(self):
        order = ["nodes", "edges", "strings", "locations", "snapshot"]
        for section, place, value, pattern in (("nodes", 7, 15, "node type 15 is out of range"),
                                               ("nodes", 8, 99, "name 99 is out of range"),
                                               ("edges", 5, 63, "to_node 63 is out of range"),
                                               ("edges", 5, 8, "no multiple"), ("locations", 0, 63, "63 is no node")):
            t = tree()
            t[section][place] = value
            self.refuse(v8.write(t, order=order), 'in "%s": .*%s' % (section, pattern))
        t = tree()
        t["nodes"].pop()
        self.refuse(v8.write(t, order=order), 'in "nodes": the array has 62 numbers, which are no rows of 7')

    def test_too_many_fields_and_types(self):
        t = tree()
        t["snapshot"]["meta"]["node_fields"] += ["x%d" % i for i in range(58)]
        self.refuse(v8.write(t), "node_fields has more than 64 fields")
        t = tree()
        t["snapshot"]["meta"]["node_types"][0] += ["x%d" % i for i in range(300)]
        self.refuse(v8.write(t), "more than 255 types")
        t["snapshot"]["meta"]["node_types"] = ["x"]
        self.refuse(v8.write(t), "meta.node_types has no list of types")


if __name__ == "__main__":
    unittest.main()
