ubiheap paths --json --max-paths 1 chromium-detached.heapsnapshot.gz 55267
