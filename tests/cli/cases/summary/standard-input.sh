zcat node20-after.heapsnapshot.gz | ubiheap summary --limit 2 -
