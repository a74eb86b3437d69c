UBIHEAP_PRELOAD=/no/such/library.so ubiheap record -- true
