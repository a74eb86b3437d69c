COLUMNS=200 ubiheap report chromium-detached.heapsnapshot.gz
