ubiheap retainers --ignore 78369,78377 --depth 2 node20-after.heapsnapshot.gz 79447
