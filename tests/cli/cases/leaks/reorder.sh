ubiheap leaks --reorder -n 1 leak-3.heapsnapshot leak-1.heapsnapshot leak-2.heapsnapshot
