ubiheap watch --json -- true
