ubiheap summary --since node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
