ubiheap report --json chromium-alloc.heapsnapshot.gz | python3 -c 'import json, sys; [print(f["rule"], f["bytes"], f["pathText"]) for f in json.load(sys.stdin)["findings"]]'
