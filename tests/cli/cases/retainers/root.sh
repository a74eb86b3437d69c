ubiheap retainers node20-after.heapsnapshot.gz 1
