ubiheap help census
