COLUMNS=100 ubiheap statistics node20-after.heapsnapshot.gz
