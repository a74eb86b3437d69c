ubiheap diff --by class -n 3 node20-before.heapsnapshot.gz chromium-detached.heapsnapshot.gz
