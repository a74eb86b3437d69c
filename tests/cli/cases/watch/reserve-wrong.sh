ubiheap watch --reserve lots -- true
