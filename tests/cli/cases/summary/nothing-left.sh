ubiheap summary --filter console node20-after.heapsnapshot.gz
