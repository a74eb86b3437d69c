ubiheap report
