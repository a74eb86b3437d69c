ubiheap leaks --reorder - leak-1.heapsnapshot < leak-2.heapsnapshot
