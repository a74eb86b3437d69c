ubiheap strings --limit 3 chromium-detached.heapsnapshot.gz
