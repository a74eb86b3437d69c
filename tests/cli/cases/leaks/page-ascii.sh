LC_ALL=C ubiheap leaks -n 2 node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
