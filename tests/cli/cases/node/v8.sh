ubiheap node node20-after.heapsnapshot.gz 50603
