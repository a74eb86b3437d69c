ubiheap strings --sort name chromium-detached.heapsnapshot.gz
