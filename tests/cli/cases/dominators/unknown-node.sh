ubiheap dominators --node 0 tiny-before.fxsnapshot
