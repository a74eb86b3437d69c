ubiheap leaks --times 3 leak-1.heapsnapshot leak-2.heapsnapshot
