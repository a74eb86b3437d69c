#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/reference/mcp.md is what `ubiheap mcp` says about itself. `mcp_page_test.py --update` makes its tables again."""
import os
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mcp"))
from mcp_client import Client  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "mcp.md"
MADE = re.compile(r"(<!-- made by tests/docs/mcp_page_test.py -->\n).*?(<!-- end -->)", re.DOTALL)
MOST_BYTES = 6000


def type_of(schema):
    kind = schema["type"]
    if kind == "array":
        return "array of strings"
    return kind if isinstance(kind, str) else " or ".join(kind)


def tables(tools):
    """The part of the page that is made."""
    lines = []
    for tool in tools:
        lines += [f"### {tool['name']}", "", tool["description"], "", "| argument | type | |", "|---|---|---|"]
        for name, schema in tool["inputSchema"]["properties"].items():
            if name not in ("cursor", "budget"):
                lines.append(f"| `{name}` | {type_of(schema)} | {schema['description']} |")
        if lines[-1] == "|---|---|---|":
            del lines[-2:]
        lines.append("")
    return "\n".join(lines)


def page_with(tools):
    return MADE.sub(lambda match: match[1] + "\n" + tables(tools) + "\n" + match[2], PAGE.read_text())


def tools_of_server():
    with Client() as client:
        tools = client.request("tools/list")["tools"]
        return tools, client.sizes[-1]


class McpPage(unittest.TestCase):
    def test_the_page_lists_the_tools_and_their_arguments(self):
        tools, _ = tools_of_server()
        self.assertEqual(page_with(tools), PAGE.read_text(), "run tests/docs/mcp_page_test.py --update")

    def test_the_list_of_tools_is_short(self):
        tools, n_bytes = tools_of_server()
        self.assertEqual([tool["name"] for tool in tools], ["heaps", "report", "leaks", "find", "explain", "ask"])
        self.assertLessEqual(n_bytes, MOST_BYTES)
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in tools))


if __name__ == "__main__":
    if "--update" in sys.argv:
        os.environ.setdefault("UBIHEAP", str(ROOT / "build" / "release" / "bin" / "ubiheap"))
        PAGE.write_text(page_with(tools_of_server()[0]))
    else:
        unittest.main()
