ubiheap strings -d -n 1 --json chromium-detached.heapsnapshot.gz
