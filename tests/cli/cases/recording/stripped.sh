ubiheap report --no-symbols --top 2 stripped.ubirec
ubiheap report --no-symbols --no-wrappers --by total stripped.ubirec
ubiheap report --no-symbols --detail --by leaked --top 1 stripped.ubirec | grep -A7 'Not freed   Share'
ubiheap report --no-symbols -c total,function,address,through --top 3 --by total stripped.ubirec
ubiheap report --no-symbols --json --by total stripped.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin); print([w["address"] for w in d["wrappers"]], [p["address"] for p in d["sites"][0]["through"]])'
ubiheap report --no-wrappers tiny-before.fxsnapshot; echo $?
