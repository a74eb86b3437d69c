COLUMNS=200 ubiheap summary --limit 8 chromium-detached.heapsnapshot.gz
