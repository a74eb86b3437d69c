ubiheap retainers --ignore 78369 --depth 1 node20-after.heapsnapshot.gz 79447
