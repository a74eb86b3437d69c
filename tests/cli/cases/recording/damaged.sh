(cat server.ubirec; printf '\1\0\0\0\4\0\0\0\4\0\0\0????abcd') > damaged.ubirec
ubiheap report damaged.ubirec | grep -E '^Allocated|fault'
ubiheap report --json damaged.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["heap"]["total"]["samples"], d["fault"])'
ubiheap report --json server.ubirec | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["heap"]["total"]["samples"], d["fault"])'
ubiheap report -c function,total --top 1 damaged.ubirec; echo $?
ubiheap info damaged.ubirec | grep Allocations
(printf '\1\0\0\0\4\0\0\0\4\0\0\0????abcd'; tail -c +17 server.ubirec) | (head -c 16 server.ubirec; cat) > first.ubirec; ubiheap report first.ubirec; echo $?
