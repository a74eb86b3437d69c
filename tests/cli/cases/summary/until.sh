ubiheap summary --until node20-before.heapsnapshot.gz --limit 3 node20-after.heapsnapshot.gz
