ubiheap summary --context none --limit 2 chromium-detached.heapsnapshot.gz
