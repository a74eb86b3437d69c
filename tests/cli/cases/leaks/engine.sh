ubiheap leaks --engine -n 3 node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
