ubiheap summary --context 3 chromium-detached.heapsnapshot.gz
