ubiheap paths node20-after.heapsnapshot.gz 79447
