#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layering test finds what it should: each breach is planted in a small tree of its own."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import layering_test  # noqa: E402

CLEAN = {
    "include/ubiheap/core/base.h": "#include <stdint.h>\n",
    "include/ubiheap/core/graph.h": "#include <ubiheap/core/base.h>\n",
    "include/ubiheap/core/census.h": "#include <ubiheap/core/graph.h>\nUBI_API int ubi_count(int n);\n",
    "src/base/text.h": "#include <string.h>\n#include <ubiheap/core/base.h>\n",
    "src/base/text.c": '#include "base/text.h"\n',
    "src/graph/graph.h": '#include "base/text.h"\n',
    "src/formats/formats.c": '#include "formats/one/one.h"\n#include "graph/graph.h"\n',
    "src/formats/one/one.h": '#include "graph/graph.h"\n',
    "src/formats/two/two.h": '#include "base/text.h"\n',
    "src/analyses/census/census.h": '#include "graph/graph.h"\n#include <ubiheap/core/census.h>\n',
    "src/analyses/census/census.c": "int ubi_count(int n) {\n    return n;\n}\n",
    "src/cli/main.c": '#include "analyses/census/census.h"\n#include "formats/one/one.h"\n',
}


class LayeringRules(unittest.TestCase):
    def breaches(self, **changed):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for name, text in {**CLEAN, **changed.get("files", {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(layering_test.breaches(root))

    def assert_breach(self, files, words):
        found = self.breaches(files=files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_clean_tree_has_no_breach(self):
        self.assertEqual(self.breaches(), [])

    def test_a_lower_layer_may_not_include_a_higher_one(self):
        self.assert_breach({"src/base/up.c": '#include "graph/graph.h"\n'}, "base may not include")

    def test_public_headers_have_layers_too(self):
        self.assert_breach({"src/graph/up.c": "#include <ubiheap/core/census.h>\n"}, "belongs to analyses")

    def test_a_public_header_belongs_to_the_module_that_defines_its_functions(self):
        self.assert_breach({"src/graph/count.c": "int ubi_count(int n) {\n"}, "more than one module: analyses, graph")
        header = {"include/ubiheap/core/other.h": "UBI_API int ubi_other(int n);\n"}
        self.assertEqual(self.breaches(files={**header, "src/graph/other.c": "#include <ubiheap/core/other.h>\nint ubi_other(int n) {\n"}), [])
        self.assert_breach({**header, "src/graph/x.c": "#include <ubiheap/core/other.h>\n"}, "belongs to no module")

    def test_a_bench_may_use_the_public_interface_of_any_module_and_no_more(self):
        header = {"include/ubiheap/core/formats.h": ""}
        bench = "src/analyses/census/census_bench.c"
        self.assertEqual(self.breaches(files={**header, bench: "#include <ubiheap/core/formats.h>\n"}), [])
        self.assert_breach({bench: '#include "formats/one/one.h"\n'}, "analyses may not include")

    def test_formats_and_analyses_do_not_know_each_other(self):
        self.assert_breach({"src/formats/one/x.c": '#include "analyses/census/census.h"\n'}, "formats may not include")

    def test_one_format_does_not_know_another(self):
        self.assert_breach({"src/formats/one/x.c": '#include "formats/two/two.h"\n'}, "neighbour")

    def test_neighbours_within_a_layer_do_not_know_each_other(self):
        self.assert_breach(
            {"src/timeline/t.h": "", "src/graph/x.c": '#include "timeline/t.h"\n'}, "graph may not include"
        )

    def test_jobs_reach_engines_through_targets_only(self):
        self.assert_breach({"src/engines/e/e.h": "", "src/jobs/j.c": '#include "engines/e/e.h"\n'}, "jobs may not")

    def test_what_is_installed_as_source_includes_nothing_that_is_not_installed(self):
        engine = {"src/tracking/t.h": "", "src/engines/e/e.c": '#include "tracking/t.h"\n'}
        self.assertEqual(self.breaches(files=engine), [])
        self.assert_breach({**engine, "src/engines/e/x.c": '#include "base/text.h"\n'}, "engines is installed as source")
        self.assertEqual(self.breaches(files={**engine, "src/engines/e/host/x.c": '#include "base/text.h"\n'}), [])
        self.assert_breach({"src/tracking/x.c": '#include "base/text.h"\n'}, "tracking is installed as source")

    def test_tracking_knows_no_engine_and_no_other_module(self):
        self.assert_breach({"src/engines/e/e.h": "", "src/tracking/x.c": '#include "engines/e/e.h"\n'}, "tracking is installed")
        self.assert_breach({"include/ubiheap/core/node.h": "", "src/tracking/x.c": "#include <ubiheap/core/graph.h>\n"}, "tracking is installed")
        self.assert_breach({"src/engines/e/e.h": "", "src/tracking/x_test.c": '#include "engines/e/e.h"\n'}, "tracking may not")

    def test_the_tool_knows_engines_in_one_file_only(self):
        engine = {"src/engines/e/host/e_runner.h": "", "src/engines/e/e.h": "", "src/engines/e/e.c": "int ubi_live(int n) {\n",
                  "include/ubiheap/extension/quickjs.h": "UBI_API int ubi_live(int n);\n"}
        registry = "src/cli/script_runners.c"
        self.assertEqual(self.breaches(files={**engine, registry: '#include "engines/e/host/e_runner.h"\n'}), [])
        self.assert_breach({**engine, registry: '#include "engines/e/e.h"\n'}, "cli may not include")
        self.assert_breach({**engine, "src/cli/x.c": '#include "engines/e/host/e_runner.h"\n'}, "cli may not include")
        self.assert_breach({**engine, "src/cli/x.c": "#include <ubiheap/extension/quickjs.h>\n"}, "belongs to engines")

    def test_an_include_written_with_spaces_is_read(self):
        self.assert_breach({"src/base/up.c": '  #  include  "graph/graph.h"\n'}, "base may not include")

    def test_an_include_relative_to_its_file_is_a_breach(self):
        self.assert_breach({"src/base/near.c": '#include "text.h"\n'}, "no file below src/")

    def test_a_public_header_includes_public_headers_only(self):
        rings = {"include/ubiheap/views/lens.h": "", "include/ubiheap/core/node.h": "#include <ubiheap/views/lens.h>\n"}
        self.assert_breach(rings, "the ring core may not include")
        self.assert_breach({"include/ubiheap/core/node.h": '#include "base/text.h"\n'}, "public header may not include")

    def test_only_its_own_folders_name_a_producer(self):
        listed = {"src/lenses/producers.c": "#define P(X) X(eng) X(plain)\n", "src/formats/recognize.c": "#define F(X) X(eng)\n",
                  "src/lenses/eng/eng.c": "", "src/formats/eng/eng_read.c": 'const ubi__format ubi__format_eng = {\n .name = "engsnap"'}
        self.assertEqual(self.breaches(files=listed), [])
        for code in ("int n = UBI__ENG_NODES;", "x = ubi__graph_eng_of(g);", "if (root_is_eng(g))", '#include "src/x/eng/y.h"',
                     'strcmp(name, "engsnap")', 'strcmp(name, "Eng")'):
            planted = {**listed, "src/render/page.c": f"{code}\n"}
            self.assertIn("names eng; ask src/lenses/producer.h", "".join(self.breaches(files=planted)), code)
        for code in ("ubi__timeline_eng(m);", "engine(n);", "/* eng */", "plain(n);"):
            self.assertEqual(self.breaches(files={**listed, "src/render/page.c": f"{code}\n"}), [], code)
        self.assertEqual(self.breaches(files={**listed, "src/formats/eng/eng_x.c": "int n = UBI__ENG_NODES;\n"}), [])

    def test_a_line_of_a_registry_has_its_folder(self):
        self.assert_breach({"src/lenses/producers.c": "#define P(X) X(eng)\n"}, "has no folder beside it")

    def test_file_names_are_unique(self):
        self.assert_breach({"src/graph/text.c": ""}, "more than one file")

    def test_an_unknown_module_is_reported(self):
        self.assert_breach({"src/misc/a.c": ""}, "no module")


if __name__ == "__main__":
    unittest.main()
