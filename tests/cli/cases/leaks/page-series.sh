ubiheap leaks leak-*.heapsnapshot
