gzip -dc chromium-alloc.heapsnapshot.gz | sed 's/\[4,3,7401,/[4,3,74010,/' > moved.heapsnapshot
ubiheap allocations --limit 1 moved.heapsnapshot
