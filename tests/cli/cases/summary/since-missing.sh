ubiheap summary --since no-such-file node20-after.heapsnapshot.gz
