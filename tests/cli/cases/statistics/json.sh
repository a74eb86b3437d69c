ubiheap statistics --json chromium-detached.heapsnapshot.gz
