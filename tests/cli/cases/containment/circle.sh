ubiheap containment --depth 0 --limit 1 node20-after.heapsnapshot.gz 78369
