ubiheap report --by total hostile.ubirec
ubiheap report --format tsv -c function,file,line,stack hostile.ubirec
ubiheap report --format csv -c function,total hostile.ubirec
ubiheap report --json hostile.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin); print([s["stack"][0]["function"] for s in d["sites"]], d["threads"], d["resident"])'
