ubiheap dominators --depth 3 --siblings 4 node20-after.heapsnapshot.gz
