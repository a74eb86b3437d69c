ubiheap leaks node20-after.heapsnapshot.gz
