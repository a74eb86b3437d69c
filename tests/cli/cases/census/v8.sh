ubiheap census --limit 4 node20-after.heapsnapshot.gz
