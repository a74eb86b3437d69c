ubiheap leaks --fail-on "leaked > 1" other-1.heapsnapshot leak-2.heapsnapshot leak-3.heapsnapshot
