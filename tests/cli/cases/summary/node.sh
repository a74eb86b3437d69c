COLUMNS=100 ubiheap summary --limit 10 node20-after.heapsnapshot.gz
