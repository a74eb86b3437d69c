ubiheap help cenus
