# Allocations below native functions: a mark says the function, a size, and its callers, whose lines have the labels.
import asyncio
import functools
import json
import re

kept = []


def key(x):
    return bytearray(22000)  #@ key 22001 < sorts:sort < <module>:call-sorts


def sorts():
    return sorted([2], key=key)  #: sort


def visit(x):
    return bytearray(22010)  #@ visit 22011 < maps:map < <module>:call-maps


def maps():
    return list(map(visit, [1, 2]))  #: map


def inner(x):
    return bytearray(22020)  #@ inner 22021 < outer:inner < nested:outer < <module>:call-nested


def outer(x):
    return list(map(inner, [x]))  #: inner


def nested():
    return list(map(outer, [1]))  #: outer


def hook(pairs):
    return bytearray(22030)  #@ hook 22031 < parses:parse < <module>:call-parses


def parses():
    return json.loads("{}", object_hook=hook)  #: parse


def replace(match):
    kept.append(bytearray(22040))  #@ replace 22041 < replaces:replace < <module>:call-replaces
    return ""


def replaces():
    return re.sub("a", replace, "aa")  #: replace


def joined(a, b):
    return bytearray(22050)  #@ joined 22051 < reduces:reduce < <module>:call-reduces


def reduces():
    return functools.reduce(joined, [1, 2])  #: reduce


def counts(n):
    for _ in range(n):
        yield bytearray(22060)  #@ counts 22061 < collects:collect < <module>:call-collects


def collects():
    return list(counts(2))  #: collect


def leaves():
    yield bytearray(22070)  #@ leaves 22071 < delegates:delegate < loops:loop < <module>:call-loops


def delegates():
    yield from leaves()  #: delegate


def loops():
    for part in delegates():  #: loop
        kept.append(part)


class Base:
    def __init__(self):
        self.own = self.make()  #: make


class Derived(Base):
    def __init__(self):
        super().__init__()  #: super

    def make(self):
        return bytearray(22080)  #@ Derived.make 22081 < Base.__init__:make < Derived.__init__:super < constructs:construct < <module>:call-constructs

    def __str__(self):
        kept.append(bytearray(22090))  #@ Derived.__str__ 22091 < prints:print < <module>:call-prints
        return "told"


def constructs():
    return [*map(Derived, [])] or Derived()  #: construct


def prints(derived):
    return "%s" % derived  #: print


async def waits():
    kept.append(bytearray(22100))  #@ waits 22101 < runs:await < <module>:call-runs
    await asyncio.sleep(0)
    kept.append(bytearray(22110))  #@ waits 22111 < runs:await < <module>:call-runs


async def runs():
    await waits()  #: await


async def streams():
    yield bytearray(22120)  #@ streams 22121 < drains:drain < <module>:call-drains


async def drains():
    async for part in streams():  #: drain
        kept.append(part)


sorts()  #: call-sorts
maps()  #: call-maps
nested()  #: call-nested
parses()  #: call-parses
replaces()  #: call-replaces
reduces()  #: call-reduces
collects()  #: call-collects
loops()  #: call-loops
derived = constructs()  #: call-constructs
prints(derived)  #: call-prints
asyncio.run(runs())  #: call-runs
asyncio.run(drains())  #: call-drains
