ubiheap leaks leak-1.heapsnapshot leak-2.heapsnapshot leak-3.heapsnapshot
