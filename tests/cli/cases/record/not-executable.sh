ubiheap record ./directory
