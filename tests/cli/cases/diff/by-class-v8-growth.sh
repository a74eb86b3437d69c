ubiheap diff --by class --sort growth -n 4 node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
