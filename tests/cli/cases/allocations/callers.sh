ubiheap allocations --callers 2 --limit 2 chromium-alloc.heapsnapshot.gz
