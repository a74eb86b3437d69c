ubiheap show --json --limit 1 node20-after.heapsnapshot.gz 79447
