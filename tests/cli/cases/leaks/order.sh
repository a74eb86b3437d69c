ubiheap leaks leak-3.heapsnapshot leak-2.heapsnapshot leak-1.heapsnapshot
