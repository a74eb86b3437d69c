ubiheap record --debuginfod --no-symbols -- true
