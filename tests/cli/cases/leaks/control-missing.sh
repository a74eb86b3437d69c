ubiheap leaks --control node20-before.heapsnapshot.gz,nowhere.heapsnapshot node20-before.heapsnapshot.gz node20-after.heapsnapshot.gz
