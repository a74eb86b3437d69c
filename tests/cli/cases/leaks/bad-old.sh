ubiheap leaks text.txt node20-after.heapsnapshot.gz
