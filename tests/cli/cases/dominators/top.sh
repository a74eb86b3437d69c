ubiheap dominators --top 8 tiny-before.fxsnapshot
