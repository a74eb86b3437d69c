ubiheap leaks -n 1 --fail-on 'retained > 50KiB and count(LeakedThing) >= 300 and growth > 1%' node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
