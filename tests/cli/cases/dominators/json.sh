ubiheap dominators --json --depth 2 --siblings 2 tiny-before.fxsnapshot
