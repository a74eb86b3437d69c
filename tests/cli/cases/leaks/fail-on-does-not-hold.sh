ubiheap leaks -n 1 --fail-on 'retained > 1MiB or count(LeakedThing) > 300 or clusters > 9' node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
