#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is shown a part at a time is what is shown whole: rows of census trees and of their differences, children of dominators, boxes."""
import json
import unittest
import urllib.parse

from serving import AFTER, BEFORE, V8, check_schema, serve

PRESETS = ["default", "treeMap", "objectClass", "allocationStack", "invertedAllocationStack"]
NUMBERS = ["bytes", "totalBytes", "count", "totalCount"]


class Rows(unittest.TestCase):

    def setUp(self):
        self.server = serve(self, "--no-cache", AFTER, BEFORE, V8)
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def document(self, heap, question, **parameters):
        answer = self.server.ask(f"/api/1/heaps/{heap}/{question}?{urllib.parse.urlencode(parameters)}", connection=self.connection)
        self.assertEqual(answer.code, 200, answer.body[:300])
        return check_schema(answer.document)

    def refused(self, heap, question, code=400, **parameters):
        answer = self.server.ask(f"/api/1/heaps/{heap}/{question}?{urllib.parse.urlencode(parameters)}", connection=self.connection)
        self.assertEqual(answer.code, code, answer.body[:300])
        return answer.document["message"]

    # ---- census trees

    def children(self, heap, question, most, row, **parameters):
        """All rows below one, asked for `most` at a time; checks what every page says of the row."""
        rows, offset = [], 0
        while offset == 0 or offset < row["childCount"]:
            page = self.document(heap, question, rows=most, offset=offset, parent=row["id"], **parameters)["page"]
            self.assertEqual((page["parent"], page["offset"]), (row, offset))
            self.assertEqual(len(page["rows"]), min(most, max(row["childCount"] - offset, 0)))
            rows += page["rows"]
            offset += most
        return rows

    def compare(self, heap, question, most, **parameters):
        tree = self.document(heap, question, tree=1, **parameters)["tree"]
        first = self.document(heap, question, rows=1, **parameters)["page"]
        self.assertEqual((first["totalBytes"], first["totalCount"]), (tree["totalBytes"], tree["totalCount"]))
        waiting, n = [(tree, first["parent"])], 0
        while waiting and n < 10:  # the largest rows of each level come first
            whole, row = waiting.pop(0)
            n += 1
            expected = {**whole, "childCount": len(whole.get("children", []))}
            expected.pop("children", None)
            self.assertEqual(row, expected)
            rows = self.children(heap, question, most, row, **parameters)
            self.assertEqual([child["id"] for child in rows], [child["id"] for child in whole.get("children", [])])
            waiting += zip(whole.get("children", []), rows)

    def test_rows_of_a_census_are_those_of_its_tree(self):
        for heap in ("h1", "h3"):
            for breakdown in PRESETS:
                with self.subTest(heap=heap, breakdown=breakdown):
                    self.compare(heap, "census", 50, breakdown=breakdown)
        self.compare("h1", "census", 3, breakdown="default", inverted=1)
        self.compare("h1", "census", 3, breakdown="default", inverted=0, filter="HTML")

    def test_rows_that_a_filter_leaves_are_those_of_the_tree_with_that_filter(self):
        for heap in ("h1", "h3"):
            for breakdown in PRESETS:
                for text, inverted in (("a", 0), ("s", 1), ("", 0), ("of no row", 1)):
                    with self.subTest(heap=heap, breakdown=breakdown, filter=text):
                        self.compare(heap, "census", 500, breakdown=breakdown, inverted=inverted, filter=text)

    def test_a_filter_changes_no_order(self):
        row = self.document("h1", "census", rows=1)["page"]["rows"][0]
        for column in (*NUMBERS, "name"):
            for direction in "+-":
                for is_whole_first in (False, True):  # whoever has the whole in that order gets the part from it
                    text = "ar" if is_whole_first else "r"
                    order = direction + column
                    whole = self.children("h1", "census", 100, row, order=order) if is_whole_first else None
                    page = self.document("h1", "census", rows=1, filter=text)["page"]["rows"][0]
                    left = self.children("h1", "census", 10, page, order=order, filter=text)
                    whole = whole or self.children("h1", "census", 100, row, order=order)
                    self.assertIn(len(left), range(1, len(whole)))
                    names = {child["name"] for child in left}
                    self.assertEqual([child["name"] for child in left], [child["name"] for child in whole if child["name"] in names])

    def test_rows_of_a_difference_are_those_of_its_tree(self):
        for breakdown in ("default", "invertedAllocationStack"):
            self.compare("h1", "diff", 20, breakdown=breakdown, **{"with": "h2"})

    def test_rows_come_in_each_order(self):
        row = self.document("h1", "census", rows=1)["page"]["rows"][0]
        for column in NUMBERS:
            down = self.children("h1", "census", 10, row, order=column)
            self.assertEqual([child[column] for child in down], sorted((child[column] for child in down), reverse=True))
            self.assertEqual(down, self.children("h1", "census", 10, row, order="-" + column))
            up = self.children("h1", "census", 10, row, order="+" + column)
            self.assertEqual([child[column] for child in up], [child[column] for child in reversed(down)])
        names = [child["name"] for child in self.children("h1", "census", 100, row, order="name")]
        self.assertEqual(names, sorted(names, key=lambda name: name.encode()))
        self.assertEqual(names[::-1], [child["name"] for child in self.children("h1", "census", 100, row, order="-name")])

    def test_a_wrong_question_about_rows_is_refused_in_words(self):
        self.assertEqual(self.refused("h1", "census", parent=2), "parent goes with rows")
        self.assertEqual(self.refused("h1", "census", offset=2), "offset goes with rows")
        self.assertEqual(self.refused("h1", "census", order="name"), "order goes with rows")
        self.assertIn("expected bytes, totalBytes", self.refused("h1", "census", rows=1, order="size"))
        self.assertEqual(self.refused("h1", "census", 404, rows=1, parent=10**6), "parent: the tree has no row 1000000")
        self.assertEqual(self.refused("h1", "census", 404, rows=1, parent=2**32 + 2), "parent: the tree has no row 4294967298")
        self.assertIn("individuals", self.refused("h1", "census", rows=1, individuals=1, order="name"))
        self.assertEqual(self.refused("h1", "census", rows=1, labels="types"), "labels goes with individuals and rows")
        self.assertIn("by class", self.refused("h1", "diff", rows=1, by="class", **{"with": "h2"}))
        self.assertEqual(self.document("h1", "census", rows=5, offset=2**40)["page"]["rows"], [])

    # ---- nodes of a census

    def test_nodes_of_a_group_come_in_the_order_of_what_they_retain(self):
        parts = self.document("h1", "census", breakdown="objectClass", individuals="2,3,3")["individuals"]
        ids = sorted({node for part in parts for node in part["ids"]})
        columns = self.document("h1", "nodes", columns="id,selfSize,retainedSize")["rows"]
        sizes = {row[0]: tuple(row[1:]) for row in columns}
        rows = []
        for offset in range(0, len(ids) + 7, 7):
            nodes = self.document("h1", "census", breakdown="objectClass", individuals="2,3,3", rows=7, offset=offset)["nodes"]
            self.assertEqual((nodes["nodeCount"], nodes["shallowSize"]), (len(ids), sum(sizes[node][0] for node in ids)))
            rows += nodes["rows"]
        self.assertEqual(sorted(row["nodeId"] for row in rows), ids)
        retained = [row["retainedSize"] for row in rows]
        self.assertEqual(retained, sorted(retained, reverse=True))
        for row in rows[:5]:
            own = self.document("h1", "dominators", node=row["nodeId"], depth=1)["tree"]
            self.assertEqual({key: own[key] for key in row}, row)
        stacks = self.document("h1", "census", breakdown="objectClass", individuals="2", rows=1, labels="stack")["nodes"]["rows"][0]
        self.assertEqual(stacks, {key: value for key, value in self.document(
            "h1", "dominators", node=stacks["nodeId"], depth=1, breakdown="stack")["tree"].items() if key in stacks})

    # ---- classes that changed

    def test_individuals_of_a_class_are_those_that_its_row_counts(self):
        def ids(heap, row):
            rows = self.document(heap, "nodes", columns="id,coarseType,displayName")["rows"]
            return {node for node, *kind in rows if kind == [row["coarseType"], row["name"]]}
        rows = self.document("h2", "diff", by="class", **{"with": "h1"})["byClass"]
        changed = [(at + 1, row) for at, row in enumerate(rows) if row["created"]["count"] or row["deleted"]["count"]]
        self.assertGreater(len(changed), 5)
        for n, row in changed:
            found = self.document("h2", "diff", by="class", individuals=n, **{"with": "h1"})["individuals"]
            self.assertEqual(found["class"], row)
            self.assertEqual((len(found["created"]), len(found["deleted"])), (row["created"]["count"], row["deleted"]["count"]))
            old, new = ids("h2", row), ids("h1", row)
            self.assertLessEqual(set(found["created"]), new - old)
            self.assertLessEqual(set(found["deleted"]), old - new)
        self.assertIn("by class", self.refused("h2", "diff", individuals=1, **{"with": "h1"}))
        self.assertIn("only", self.refused("h2", "diff", 404, by="class", individuals=10**6, **{"with": "h1"}))

    def test_rows_of_a_side_of_a_class_are_those_of_its_ids_that_retain_most(self):
        rows = self.document("h2", "diff", by="class", **{"with": "h1"})["byClass"]
        n, row = max(enumerate(rows, 1), key=lambda one: min(one[1]["created"]["count"], one[1]["deleted"]["count"]))
        individuals = self.document("h2", "diff", by="class", individuals=n, **{"with": "h1"})["individuals"]
        for side, heap in (("created", "h1"), ("deleted", "h2")):
            ids = individuals[side]
            self.assertGreater(len(ids), 5)
            retained = dict(self.document(heap, "nodes", columns="id,retainedSize")["rows"])
            listed = []
            for offset in range(0, len(ids) + 4, 4):
                nodes = self.document("h2", "diff", by="class", individuals=n, side=side, rows=4, offset=offset, **{"with": "h1"})["nodes"]
                self.assertEqual((nodes["nodeCount"], nodes["shallowSize"], nodes["offset"]), (len(ids), row[side]["bytes"], offset))
                listed += nodes["rows"]
            self.assertEqual(sorted(one["nodeId"] for one in listed), sorted(ids))
            self.assertEqual([one["retainedSize"] for one in listed], sorted((retained[node] for node in ids), reverse=True))
            own = self.document(heap, "dominators", node=listed[0]["nodeId"], depth=1)["tree"]
            self.assertEqual({key: own[key] for key in listed[0]}, listed[0])
        refused = lambda **parameters: self.refused("h2", "diff", by="class", side="created", **{"with": "h1"}, **parameters)
        self.assertEqual(refused(individuals=1), "side goes with individuals and rows")
        self.assertEqual(refused(rows=1), "side goes with individuals and rows")
        self.assertEqual(refused(rows=1, individuals=1, parent=2), "parent does not go with side")
        self.assertEqual(refused(rows=1, individuals=1, order="name"), "order does not go with side")
        self.assertIn("by class does not go with", refused(rows=1, individuals=1, filter="a"))

    # ---- classes

    def test_classes_come_in_parts_in_any_order_and_by_a_text_in_their_names(self):
        for heap in ("h1", "h3"):
            for sort in ("retained", "self", "count", "distance", "name"):
                whole = self.document(heap, "summary", limit=0, sort=sort)
                parts = [self.document(heap, "summary", limit=7, offset=offset, sort=sort)["classes"] for offset in (0, 7, 14)]
                self.assertEqual([one for part in parts for one in part], whole["classes"][:21])
                turned = self.document(heap, "summary", limit=5, offset=2, sort=sort, reversed=1)["classes"]
                self.assertEqual(turned, whole["classes"][::-1][2:7])
            expected = [one for one in whole["classes"] if "Ar" in one["name"]]
            found = self.document(heap, "summary", limit=3, matching="Ar", sort="name")
            self.assertEqual((found["matchCount"], found["classes"]), (len(expected), expected[:3]))
            self.assertGreater(len(expected), 1)
            self.assertEqual(self.document(heap, "summary", offset=len(whole["classes"]) + 1)["classes"], [])
            self.assertEqual(self.document(heap, "summary", matching="no class has this")["classes"], [])
        self.assertIn("do not go with class", self.refused("h1", "summary", **{"class": "Array", "offset": 1}))

    # ---- dominators

    def test_rows_of_dominators_know_the_sums_below_them(self):
        for heap in ("h1", "h3"):
            tree = self.document(heap, "dominators", depth=3, siblings=0)["tree"]
            for node in (tree, *tree["children"][:5]):
                children = node.get("children", [])
                self.assertEqual(node["childCount"], len(children))
                self.assertEqual(node["childShallowSize"], sum(child["shallowSize"] for child in children))
                self.assertEqual(node["childRetainedSize"], sum(child["retainedSize"] for child in children))
            self.assertEqual(tree["retainedSize"], tree["shallowSize"] + tree["childRetainedSize"])

    def test_a_node_knows_its_way_from_the_root(self):
        for heap in ("h1", "h3"):
            whole = self.document(heap, "dominators", depth=3, siblings=0)["tree"]
            large = max(whole["children"], key=lambda child: child["childCount"])
            for index in (0, large["childCount"] // 2, large["childCount"] - 1):
                expected = [whole, large, large["children"][index]]
                answer = self.document(heap, "dominators", node=expected[2]["nodeId"], depth=1, way=1)
                self.assertEqual(answer["countAboveWay"], 0)
                way = answer["way"]
                self.assertEqual([step["nodeId"] for step in way], [step["nodeId"] for step in expected])
                self.assertEqual([step["index"] for step in way], [0, whole["children"].index(large), index])
                for step, siblings in zip(way[1:], (whole["children"], large["children"])):
                    before = siblings[:step["index"]]
                    self.assertEqual(step["shallowSizeBefore"], sum(one["shallowSize"] for one in before))
                    self.assertEqual(step["retainedSizeBefore"], sum(one["retainedSize"] for one in before))
                self.assertEqual(way[1]["childRetainedSize"], large["childRetainedSize"])
        self.assertEqual(self.refused("h1", "dominators", by="class", way=1), "by class does not go with way")

    def drops_of(self, heap):
        """Nodes where retained sizes drop, in the order of a whole walk."""
        rows = self.server.ask(f"/api/1/heaps/{heap}/dominators?depth=0&siblings=0&flat=1", connection=self.connection).document["rows"]
        least, above, drops = rows[0]["retainedSize"] // 1000, [], []
        for row, below in zip(rows, [*rows[1:], {"depth": 0, "retainedSize": 0}]):
            above = [*above[:row["depth"]], row]
            size = row["retainedSize"]
            is_leaf = below["depth"] <= row["depth"]
            is_drop = row["depth"] > 0 and size >= least and (size >= above[-2]["retainedSize"] // 2 if is_leaf else
                                                              below["retainedSize"] * 2 < size)
            drops += [row["nodeId"]] if is_drop else []
        return rows, drops

    def test_the_next_drop_of_retained_sizes_is_found_wherever_it_is(self):
        for heap in ("h1", "h3"):
            rows, drops = self.drops_of(heap)
            self.assertGreater(len(drops), 5)
            found, at = [], rows[0]["nodeId"]
            while (answer := self.document(heap, "dominators", node=at, depth=1, nextDrop=1, way=1))["hasDrop"]:
                at = answer["tree"]["nodeId"]
                self.assertEqual(answer["way"][-1]["nodeId"], at)
                found.append(at)
            self.assertEqual(found, drops)
            self.assertEqual(answer["tree"]["nodeId"], at)
            ids = [row["nodeId"] for row in rows]
            for place in range(1, len(ids), len(ids) // 40):
                expected = next((one for one in drops if ids.index(one) > place), None)
                answer = self.document(heap, "dominators", node=ids[place], depth=1, nextDrop=1)
                self.assertEqual((answer["hasDrop"], answer["tree"]["nodeId"]), (expected is not None, expected or ids[place]))

    def test_children_of_dominators_come_from_any_one_on(self):
        for heap in ("h1", "h3"):
            whole = self.document(heap, "dominators", depth=2, siblings=0)["tree"]
            self.assertEqual(whole["childCount"], len(whole["children"]))
            for offset in (1, 7, whole["childCount"] - 3, whole["childCount"] + 5):
                tree = self.document(heap, "dominators", depth=2, siblings=10, offset=offset)["tree"]
                self.assertEqual(tree.get("children", []), whole["children"][offset:offset + 10])
                self.assertEqual(tree["moreChildrenAvailable"], whole["childCount"] > offset + 10)
            child = whole["children"][0]
            below = self.document(heap, "dominators", node=child["nodeId"], depth=2, siblings=0)["tree"]
            page = self.document(heap, "dominators", node=child["nodeId"], depth=2, siblings=0, offset=2)["tree"]
            self.assertEqual(page["children"], below["children"][2:])
            self.assertEqual((page["parentId"], page["childCount"]), (whole["nodeId"], child["childCount"]))
        self.assertEqual(self.refused("h1", "dominators", offset=3), "offset goes with depth 2")
        self.assertEqual(self.refused("h1", "dominators", offset=3, depth=2, limit=4), "offset does not go with limit")

    def test_children_of_dominators_add_up_by_class(self):
        for heap in ("h1", "h3"):
            tree = self.document(heap, "dominators", depth=2, siblings=0)["tree"]
            for node in (tree, tree["children"][0]):
                children = self.document(heap, "dominators", node=node["nodeId"], depth=2, siblings=0)["tree"]["children"]
                by_class = self.document(heap, "dominators", node=node["nodeId"], by="class", siblings=0)
                self.assertEqual((by_class["nodeId"], by_class["groupCount"]), (node["nodeId"], len(by_class["groups"])))
                for key, one in (("count", None), ("shallowSize", "shallowSize"), ("retainedSize", "retainedSize")):
                    self.assertEqual(sum(group[key] for group in by_class["groups"]), sum(child[one] if one else 1 for child in children))
                sizes = [group["retainedSize"] for group in by_class["groups"]]
                self.assertEqual(sizes, sorted(sizes, reverse=True))
                retained = {child["nodeId"]: child["retainedSize"] for child in children}
                for group in by_class["groups"][:6]:
                    column = "className" if "className" in group else "typeName"
                    where = f"dominator == {node['nodeId']} and {column} == {json.dumps(group[column])} and coarseType == '{group['coarseType']}'"
                    rows = self.document(heap, "nodes", where=where, columns="id")["rows"]
                    self.assertEqual(len(rows), group["count"])
                    self.assertEqual(retained[group["largestNodeId"]], max(retained[row[0]] for row in rows))
                    likes = [self.document(heap, "dominators", node=group["largestNodeId"], likes=1, siblings=5, offset=at)["likes"] for at in (0, 5)]
                    self.assertEqual([{key: group[key] for key in sums} for one in likes for sums in [("count", "shallowSize", "retainedSize")]],
                                     [{key: one[key] for key in ("count", "shallowSize", "retainedSize")} for one in likes])
                    ids = {row[0] for row in rows}
                    members = [child for child in children if child["nodeId"] in ids]
                    self.assertEqual([row["nodeId"] for one in likes for row in one["rows"]], [child["nodeId"] for child in members[:10]])
                first = self.document(heap, "dominators", node=node["nodeId"], by="class", siblings=2)
                self.assertEqual((first["groups"], first["groupCount"]), (by_class["groups"][:2], by_class["groupCount"]))
        self.assertEqual(self.refused("h1", "dominators", by="class", limit=4), "by class does not go with limit")

    # ---- tree maps

    def shortened(self, target, wanted):
        """What of all steps of a target is given where those at these places of each path are wanted: paths, and what is left out of each."""
        given = {step["predecessor"] for path in target["paths"] for at, step in enumerate(path) if wanted(at, len(path))}
        places = [[at for at, step in enumerate(path) if step["predecessor"] in given] for path in target["paths"]]
        paths = [[path[at] for at in those] for path, those in zip(target["paths"], places)]
        gaps = [[after - at - 1 for at, after in zip(those, [*those[1:], len(path)])] for path, those in zip(target["paths"], places)]
        return paths, gaps

    def test_of_long_paths_some_steps_are_given_and_the_others_counted(self):
        for heap in ("h1", "h3"):
            rows = self.document(heap, "nodes", sort="-distance", columns="id,distance", limit=3, where="distance < 100000")["rows"]
            for node in (row[0] for row in rows):
                [whole] = self.document(heap, "paths", nodes=node, maxPaths=3)["targets"]
                self.assertGreater(len(whole["paths"][0]), 6)
                ways = [({"steps": n}, lambda at, length, n=n: at < (n + 1) // 2 or length - at <= n // 2) for n in (1, 2, 5, 1000)]
                ways += [({"steps": 2, "offset": n}, lambda at, _, n=n: n <= at < n + 2) for n in (1, 3)]
                for parameters, wanted in ways:
                    [target] = self.document(heap, "paths", nodes=node, maxPaths=3, **parameters)["targets"]
                    paths, gaps = self.shortened(whole, wanted)
                    self.assertEqual(target["lengths"], [len(path) for path in whole["paths"]])
                    self.assertEqual([[step.get("leftOut", 0) for step in path] for path in target["paths"]], gaps)
                    for path in target["paths"]:
                        for step in path:
                            step.pop("leftOut", None)
                    self.assertEqual(target["paths"], paths)
                    graph = target["deduplicated"]
                    self.assertEqual(set(graph["nodes"]), {node, *(step["predecessor"] for path in paths for step in path)})
                    self.assertEqual(len(target["titles"]), len(graph["nodes"]))
                    self.assertEqual(any("leftOut" in edge for edge in graph["edges"]), any(map(any, gaps)))
                    self.assertTrue(all(edge["name"] is None for edge in graph["edges"] if "leftOut" in edge))
                    if parameters == {"steps": 1000}:
                        self.assertEqual(graph, whole["deduplicated"])
        self.assertEqual(self.refused("h1", "paths", nodes=node, offset=1), "offset goes with steps")

    def below(self, boxes):
        """Of each box its children, without what it has beside them."""
        children = {}
        for i, box in enumerate(boxes):
            if box["parent"] is not None and box["type"] != "own":
                children.setdefault(box["parent"], []).append(i)
        return children

    def test_small_boxes_share_one_with_their_exact_sum(self):
        for heap in ("h1", "h3"):
            for least in (200, 5000):
                whole = self.document(heap, "treemap")["boxes"]
                some = self.document(heap, "treemap", leastArea=least)["boxes"]
                self.assertLess(len(some), len(whole))
                rows, children = {box["rowId"]: i for i, box in enumerate(whole) if "rowId" in box}, self.below(whole)
                shown, n_rests = self.below(some), 0
                for i, box in enumerate(some):
                    if box["type"] != "row" or i not in shown:
                        continue
                    expected = [whole[child] for child in children[rows[box["rowId"]]]]
                    for key in ("bytes", "count"):
                        self.assertEqual(sum(some[child][key] for child in shown[i]), sum(row[key] for row in expected))
                    n_rests += sum(some[child]["type"] == "rest" for child in shown[i])
                self.assertGreater(n_rests, 0)

    def test_a_map_of_a_row_is_that_of_what_is_below_it(self):
        whole = self.document("h1", "treemap")["boxes"]
        children = self.below(whole)
        for place in children[0]:
            part = self.document("h1", "treemap", parent=whole[place]["rowId"])["boxes"]
            self.assertEqual({part[0][key] for key in ("rowId",)}, {whole[place]["rowId"]})
            self.assertEqual({box["colorType"] for box in part}, {whole[place]["colorType"]})
            self.assertEqual([part[i]["rowId"] for i in self.below(part).get(0, [])], [whole[i]["rowId"] for i in children.get(place, [])])
            self.assertGreater(part[0]["width"] * part[0]["height"], whole[place]["width"] * whole[place]["height"])
        self.assertEqual(self.refused("h1", "treemap", 404, parent=10**6), "parent: the tree has no row 1000000")
        self.assertIn("parent, offset or leastArea", self.refused("h1", "treemap", by="retained", leastArea=9))

    def test_a_box_of_the_rest_is_opened(self):
        for heap in ("h1", "h3"):
            some = self.document(heap, "treemap", leastArea=2000)["boxes"]
            shown, n_opened = self.below(some), 0
            for i, box in enumerate(some):
                parent = some[box["parent"]] if box["parent"] is not None else None
                siblings = [some[child] for child in shown.get(box["parent"], [])]
                if box["type"] != "rest" or sum(one["type"] == "rest" for one in siblings) > 1:
                    continue
                n_rows = sum(one["type"] == "row" for one in siblings)
                row = self.document(heap, "census", breakdown="treeMap", rows=10**6, offset=n_rows, parent=parent["rowId"])["page"]
                part = self.document(heap, "treemap", parent=parent["rowId"], offset=n_rows)["boxes"]
                self.assertEqual((part[0]["bytes"], part[0]["count"]), (box["bytes"], box["count"]))
                below = [part[child] for child in self.below(part).get(0, [])]
                self.assertEqual([one["rowId"] for one in below if one["bytes"]], [one["id"] for one in row["rows"] if one["totalBytes"]])
                n_opened += 1
            self.assertGreater(n_opened, 0)


if __name__ == "__main__":
    unittest.main()
