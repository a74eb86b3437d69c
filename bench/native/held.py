# SPDX-License-Identifier: MIT
"""Objects that live, allocated at many places, and then nothing for some seconds. Each depth of the trees is a stack of its own."""
import sys
import time


class Node:
    def __init__(self, key):
        self.key, self.name, self.children = key, f"node {key}", []


def left(depth, key):
    node = Node(key)
    if depth:
        node.children = [left(depth - 1, 2 * key), right(depth - 1, 2 * key + 1)]
    return node


def right(depth, key):
    node = Node(key)
    if depth:
        node.children = [left(depth - 1, 2 * key), right(depth - 1, 2 * key + 1)]
    return node


kept = [left(13, 1) for _ in range(40)]
time.sleep(float(sys.argv[1]))
