ubiheap summary --class Widget --limit 4 chromium-detached.heapsnapshot.gz
