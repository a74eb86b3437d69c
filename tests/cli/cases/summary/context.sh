ubiheap summary --context 7797 --limit 4 chromium-detached.heapsnapshot.gz
