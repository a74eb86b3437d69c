ubiheap flamegraph --format text --by total server.ubirec growing.ubirec
ubiheap flamegraph --format text --by count growing.ubirec server.ubirec
ubiheap flamegraph --format text server.ubirec server.ubirec
ubiheap flamegraph --by total server.ubirec growing.ubirec > change.svg
python3 -c '
import re, xml.etree.ElementTree as tree
svg = tree.parse("change.svg").getroot()
name = "{http://www.w3.org/2000/svg}"
for group in svg.find(f"{name}g[@id=\"boxes\"]"):
    print(group.find(f"{name}rect").get("class"), group.find(f"{name}title").text.replace("\n", ": "))
'
for file in server growing; do ubiheap flamegraph --json --by total --limit 0 $file.ubirec > $file.json; done
ubiheap flamegraph --json --by total --limit 0 server.ubirec growing.ubirec | python3 -c '
import json, sys
both, (old, new) = json.load(sys.stdin), (json.load(open(f"{file}.json")) for file in ("server", "growing"))
print(both["file"], both["old"]["file"], both["old"]["total"] == old["total"], both["total"] == new["total"])
for all, own in (("all", "self"), ("oldAll", "oldSelf")):
    rest = [function[all] - function[own] for function in both["functions"]]
    for function in both["functions"][1:]:
        rest[function["parent"]] -= function[all]
    print(all, "is what is below and itself:", not any(rest))
'
ubiheap flamegraph --inverted server.ubirec growing.ubirec; echo $?
ubiheap flamegraph --from 1s server.ubirec growing.ubirec; echo $?
ubiheap flamegraph server.ubirec growing.ubirec few.ubirec; echo $?
ubiheap flamegraph --by temporary server.ubirec sessions-3000.heapprofile; echo $?
