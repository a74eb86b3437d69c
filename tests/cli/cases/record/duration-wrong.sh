ubiheap record --duration soon -- true
