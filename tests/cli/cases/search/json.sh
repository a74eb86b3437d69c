ubiheap search --json --limit 1 node20-after.heapsnapshot.gz keepCacheAlive
