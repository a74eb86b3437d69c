ubiheap record --json -- true
