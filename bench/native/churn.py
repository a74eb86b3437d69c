# SPDX-License-Identifier: MIT
"""Much small memory, in the way of Python programs: lists, dictionaries, strings, objects."""
import sys


class Node:
    def __init__(self, key, value):
        self.key, self.value, self.children = key, value, []


def words(n):
    return [f"word {i * 7919 % 1009} of {n}" for i in range(n)]


def index(texts):
    found = {}
    for at, text in enumerate(texts):
        for word in text.split():
            found.setdefault(word, []).append((at, word))
    return found


def tree(depth):
    node = Node(depth, str(depth))
    if depth:
        node.children = [tree(depth - 1) for _ in range(3)]
    return node


def main(turns):
    total = 0
    for turn in range(turns):
        found = index(words(1500 + turn % 7))
        total += sum(len(places) for places in found.values())
        total += len(tree(6).children)
    print(total)


main(int(sys.argv[1]))
