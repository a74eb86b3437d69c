ubiheap allocations --callers 1 --limit 1 --json chromium-alloc.heapsnapshot.gz
