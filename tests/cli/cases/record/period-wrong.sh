ubiheap record --period many -- true
ubiheap record --period 0 -- true
ubiheap record --period 1EiB -- true
