ubiheap strings --min-length 1000 --sort length --limit 2 node20-before.heapsnapshot.gz
