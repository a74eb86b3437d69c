COLUMNS=60 ubiheap statistics chromium-detached.heapsnapshot.gz
