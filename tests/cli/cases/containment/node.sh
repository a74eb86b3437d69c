ubiheap containment --depth 1 --limit 0 chromium-detached.heapsnapshot.gz 55267
