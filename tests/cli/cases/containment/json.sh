ubiheap containment --json --depth 1 --limit 2 node20-after.heapsnapshot.gz 50603
