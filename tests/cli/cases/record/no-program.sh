ubiheap record
