ubiheap dominators --node "#document" no-such-file
