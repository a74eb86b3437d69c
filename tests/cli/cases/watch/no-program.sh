ubiheap watch
