ubiheap summary --json --class Widget --limit 1 --where 'rawSize > 1' chromium-detached.heapsnapshot.gz
