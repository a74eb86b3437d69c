ubiheap report --json node20-after.heapsnapshot.gz | python3 -c 'import json, sys; print(json.load(sys.stdin)["findings"])'
