ubiheap leaks --no-gc leak-1.heapsnapshot leak-2.heapsnapshot
