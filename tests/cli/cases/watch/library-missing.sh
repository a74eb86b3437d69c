UBIHEAP_WATCH=/no/such/file ubiheap watch -- true
