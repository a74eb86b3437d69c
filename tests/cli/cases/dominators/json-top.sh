ubiheap dominators --json --top 2 tiny-before.fxsnapshot
