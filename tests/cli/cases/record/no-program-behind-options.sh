ubiheap record --exact --
