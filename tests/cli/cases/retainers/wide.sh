COLUMNS=200 ubiheap retainers --limit 3 chromium-detached.heapsnapshot.gz 55267
