ubiheap leaks --every 30s leak-1.heapsnapshot leak-2.heapsnapshot
