ubiheap summary --filter duplicate-strings node20-after.heapsnapshot.gz
