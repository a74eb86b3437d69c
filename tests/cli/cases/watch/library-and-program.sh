ubiheap watch --print-library -- true
