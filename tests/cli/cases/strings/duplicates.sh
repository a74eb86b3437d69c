ubiheap strings --duplicates --limit 5 node20-before.heapsnapshot.gz
