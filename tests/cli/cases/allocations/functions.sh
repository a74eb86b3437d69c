ubiheap allocations chromium-alloc.heapsnapshot.gz
