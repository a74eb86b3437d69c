ubiheap record --output - -- true
