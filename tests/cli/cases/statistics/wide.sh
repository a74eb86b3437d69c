COLUMNS=200 ubiheap statistics chromium-detached.heapsnapshot.gz
