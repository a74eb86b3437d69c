ubiheap treemap --json -b allocationStack --depth 2 --filter makeBuffers tiny-before.fxsnapshot
