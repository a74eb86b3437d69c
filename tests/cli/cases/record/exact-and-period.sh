ubiheap record --exact --period 1MiB -- true
