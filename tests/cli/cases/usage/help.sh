ubiheap help
