ubiheap leaks --json leak-*.heapsnapshot
