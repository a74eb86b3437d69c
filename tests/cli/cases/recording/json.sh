ubiheap report --json --top 1 --by peak --no-symbols sampled.ubirec
ubiheap report --json server.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["end"], d["exact"], [(k["kind"], k["total"]["count"]) for k in d["kinds"]], [t["name"] for t in d["threads"]])'
