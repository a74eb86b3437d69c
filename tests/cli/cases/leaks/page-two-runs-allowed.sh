ubiheap leaks --allow-other-process -n 2 node20-before.heapsnapshot.gz chromium-detached.heapsnapshot.gz
