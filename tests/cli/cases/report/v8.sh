ubiheap report chromium-detached.heapsnapshot.gz
