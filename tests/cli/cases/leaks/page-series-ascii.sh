LC_ALL=C ubiheap leaks leak-*.heapsnapshot
