COLUMNS=60 ubiheap summary --limit 5 chromium-detached.heapsnapshot.gz
