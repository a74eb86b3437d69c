ubiheap show node20-after.heapsnapshot.gz 50603
