ubiheap leaks --control leak-2.heapsnapshot,leak-1.heapsnapshot leak-1.heapsnapshot leak-2.heapsnapshot
