# Allocations of scripts that say where they are: a line that ends so asks for a block of that size, and Python's head of 33 or 57 bytes.
import asyncio
import functools
import sys

kept = []


def keep(size):
    kept.append(bytearray(size - 1))


def plain():
    kept.append(bytearray(20000))  #@ plain 20001
    kept.append(bytes(20010 - 33 + 33 - 33))  #@ plain 20010
    kept.append(
        bytearray(20020))  #@ plain 20021
    inner = lambda: kept.append(bytearray(20030))  #@ plain.<locals>.<lambda> 20031
    inner()
    return [bytearray(size) for size in (20040, 20040)]  #@ plain.<locals>.<listcomp> 20041


def loop():
    for size in (20100, 20100):
        kept.append(bytearray(size))  #@ loop 20101
    for _ in range(20):
        kept.append(bytearray(20110))  #@ loop 20111


def deep(n):
    if n:
        return deep(n - 1)
    return bytearray(20200)  #@ deep 20201


class Owner:
    kept.append(bytearray(20300))  #@ Owner 20301

    def __init__(self):
        self.own = bytearray(20310)  #@ Owner.__init__ 20311

    @property
    def got(self):
        return bytearray(20320)  #@ Owner.got 20321

    @staticmethod
    def make():
        return bytearray(20330)  #@ Owner.make 20331

    @functools.lru_cache
    def cached(self):
        return bytearray(20340)  #@ Owner.cached 20341

    def __del__(self):
        kept.append(bytearray(20350))  #@ Owner.__del__ 20351

    def __lt__(self, other):
        kept.append(bytearray(20360))  #@ Owner.__lt__ 20361
        return False


def generate():
    yield bytearray(20400)  #@ generate 20401
    yield from others()
    yield bytearray(20410)  #@ generate 20411


def others():
    yield bytearray(20420)  #@ others 20421


async def wait():
    kept.append(bytearray(20500))  #@ wait 20501
    await asyncio.sleep(0)
    kept.append(bytearray(20510))  #@ wait 20511


def callbacks():
    sorted([Owner(), Owner()])
    list(map(lambda size: kept.append(bytearray(size)), [20600]))  #@ callbacks.<locals>.<lambda> 20601
    functools.reduce(joined, [1, 2])


def joined(a, b):
    kept.append(bytearray(20610))  #@ joined 20611
    return a + b


def evaluated():
    for i in range(20):
        exec("\n" * i + f"def made{i}():\n    return bytearray({20699 + i})\nmade{i}()", {})


def thrown():
    try:
        kept.append(bytearray(20800))  #@ thrown 20801
        raise ValueError
    except ValueError:
        kept.append(bytearray(20810))  #@ thrown 20811
    finally:
        kept.append(bytearray(20820))  #@ thrown 20821


def größe():
    kept.append(bytearray(20900))  #@ größe 20901


plain()
loop()
deep(60)
owner = Owner()
owner.got
owner.make()
owner.cached()
kept.append(list(generate()))
asyncio.run(wait())
callbacks()
evaluated()
thrown()
größe()
kept.append(bytearray(20910))  #@ <module> 20911
sys.stdout.flush()
