ubiheap leaks --control other-1.heapsnapshot,leak-1.heapsnapshot leak-1.heapsnapshot leak-2.heapsnapshot
