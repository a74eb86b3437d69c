ubiheap leaks firefox://localhost
