ubiheap nodes --json -n 2 tiny-before.fxsnapshot
