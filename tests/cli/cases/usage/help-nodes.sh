ubiheap nodes --help
