ubiheap search --limit 3 node20-after.heapsnapshot.gz '/^Leaked.*g$/'
