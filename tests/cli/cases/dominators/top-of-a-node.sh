ubiheap dominators --node 1810879808088 --top 4 tiny-before.fxsnapshot
