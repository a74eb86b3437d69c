ubiheap
