ubiheap strings --where 'rawSize > 100' --sort count --limit 2 chromium-detached.heapsnapshot.gz
