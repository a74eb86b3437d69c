COLUMNS=100 ubiheap statistics chromium-detached.heapsnapshot.gz
