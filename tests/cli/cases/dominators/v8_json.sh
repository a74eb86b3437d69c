ubiheap dominators --json --node 50603 --depth 2 --siblings 2 node20-after.heapsnapshot.gz
