ubiheap leaks --allow-other-process --fail-on "leaked(steady) > 1" other-1.heapsnapshot leak-2.heapsnapshot leak-3.heapsnapshot
