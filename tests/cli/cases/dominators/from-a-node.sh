ubiheap dominators --node 1810879808088 tiny-before.fxsnapshot
