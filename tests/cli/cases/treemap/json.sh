ubiheap treemap --json --depth 1 tiny-before.fxsnapshot
