ubiheap retainers --json --depth 2 --limit 2 node20-after.heapsnapshot.gz 79447
