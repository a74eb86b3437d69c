ubiheap dominators --depth 1 --node 0x1a5a0d90258 tiny-before.fxsnapshot
