ubiheap summary --limit 1 --filter detached-dom --fail-on 'matches > 10000' chromium-detached.heapsnapshot.gz
