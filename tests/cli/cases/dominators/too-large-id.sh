ubiheap dominators --node 18446744073709551616 no-such-file
