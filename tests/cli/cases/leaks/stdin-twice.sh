ubiheap leaks - -
