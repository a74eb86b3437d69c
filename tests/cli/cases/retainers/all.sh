ubiheap retainers --all --depth 3 --limit 2 node20-after.heapsnapshot.gz 79447
