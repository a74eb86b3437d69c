COLUMNS=120 ubiheap summary --filter detached-dom chromium-detached.heapsnapshot.gz
