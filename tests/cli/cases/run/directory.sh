ubiheap run directory
