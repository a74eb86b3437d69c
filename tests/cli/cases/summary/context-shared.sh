ubiheap summary --context shared --limit 4 chromium-detached.heapsnapshot.gz
