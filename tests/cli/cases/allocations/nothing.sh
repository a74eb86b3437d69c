ubiheap allocations node20-before.heapsnapshot.gz
