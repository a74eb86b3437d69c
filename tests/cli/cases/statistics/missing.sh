ubiheap statistics no-such-file
