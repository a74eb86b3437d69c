ubiheap info node20-after.heapsnapshot.gz | grep -v "^Memory\|^Loaded"
ubiheap info chromium-alloc.heapsnapshot.gz | grep -v "^Memory\|^Loaded"
