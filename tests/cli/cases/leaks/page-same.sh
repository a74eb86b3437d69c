ubiheap leaks node20-after.heapsnapshot.gz node20-after.heapsnapshot.gz
