LC_ALL=C ubiheap statistics node20-after.heapsnapshot.gz
