ubiheap leaks node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz text.txt
