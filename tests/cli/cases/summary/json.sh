ubiheap summary --json --limit 2 chromium-detached.heapsnapshot.gz
