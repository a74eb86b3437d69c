ubiheap summary --class LeakedThin node20-after.heapsnapshot.gz
