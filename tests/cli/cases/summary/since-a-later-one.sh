ubiheap summary --since node20-after.heapsnapshot.gz node20-before.heapsnapshot.gz
