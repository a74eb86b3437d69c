ubiheap allocations --timeline chromium-alloc.heapsnapshot.gz
